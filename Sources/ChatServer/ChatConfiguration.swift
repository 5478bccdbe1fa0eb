/// The settings of a server's chat service.
package struct ChatConfiguration: Sendable {
    package var hub = ChatHub.Settings()
    /// Whether the server has simulated people, which clients on other computers can see as well.
    package var hasSimulatedPeople = true
    /// Whether clients on this computer need no token to act as people without accounts.
    package var trustsThisComputer = true
    /// The folder for files that people send.
    package var mediaFolder: String

    package init(mediaFolder: String) { self.mediaFolder = mediaFolder }
}
