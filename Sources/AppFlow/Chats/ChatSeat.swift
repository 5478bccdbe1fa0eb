package import ChatCore

/// A signed-in user, as the chat needs to know it.
package struct ChatUser: Hashable, Sendable {
    package let id: Int
    package let name: String

    package init(id: Int, name: String) { (self.id, self.name) = (id, name) }
}

/// The chat of the app's user on one server.
package struct ChatSeat: Sendable {
    package let service: any ChatService
    package let memory: any ChatMemory
    package let files: any ChatFiles
    /// The user's own ID, and the name by which original servers tell whose a message is.
    package let own: ChatUser

    package init(
        _ service: any ChatService,
        _ memory: any ChatMemory,
        _ files: any ChatFiles,
        own: ChatUser
    ) {
        (self.service, self.memory, self.files, self.own) = (service, memory, files, own)
    }
}
