/// The settings of the chat of a server.
package struct ChatConfiguration: Sendable {
    package var hub = ChatHub.Settings()
    /// Whether the server plays people even for clients on other computers.
    package var hasSimulatedPeople = true
    /// Whether clients on this computer need no token for IDs without an account.
    package var trustsThisComputer = true
    /// The folder with the files that people have sent.
    package var mediaFolder: String

    package init(mediaFolder: String) { self.mediaFolder = mediaFolder }
}
