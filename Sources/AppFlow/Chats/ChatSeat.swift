package import ChatCore

/// The user of the chat: a signed-in user or a guest.
package struct ChatUser: Hashable, Sendable {
    package let id: Int
    package let name: String

    package init(id: Int, name: String) { (self.id, self.name) = (id, name) }
}

/// The services of the chat for one user on one server.
package struct ChatSeat: Sendable {
    package let service: any ChatService
    package let memory: any ChatMemory
    package let files: any ChatFiles
    /// The user's own ID, and the name that identifies the user's messages on an original server, one without
    /// the extended protocol.
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
