package import Basics
package import CallCore
package import ChatCore
package import LiveCore

/// The services that the app needs: devices and dialogs of the computer, account, chat, and sessions in a room.
package protocol AppServices: Sendable {
    /// Whether a text is a valid URL of a signaling server.
    func isAddress(_ server: String) -> Bool

    /// Lists the devices that are connected now.
    func devices() async -> [MediaDevice]

    /// The streams and files that are always listed on Home.
    var samples: [LiveItem] { get }

    /// Starts the app's own live stream, which is offered while no server is set; returns nil if there is none.
    func ownStream(_ settings: AppSettings) async -> LiveAddress?

    /// Waits until the app's own stream can be played; returns false if the stream has failed or is not ready in time.
    func ownStreamIsPublished() async -> Bool

    /// The service for desktop notifications; nil if there is none.
    var notifications: (any NotificationService)? { get }

    /// Shows a desktop dialog in which the user chooses a video file.
    ///
    /// - Returns: The file's path; nil if the user has chosen none.
    /// - Throws: An error that states why there is no dialog.
    func chooseFile(_ dialog: FileDialog) async throws -> String?

    /// Shows a desktop dialog in which the user chooses a picture file, like `chooseFile(_:)`.
    ///
    /// - Returns: The file's path; nil if the user has chosen none.
    /// - Throws: An error that states why there is no dialog.
    func choosePicture(_ dialog: FileDialog) async throws -> String?

    /// Shows a desktop dialog in which the user chooses a file of any type, like `chooseFile(_:)`.
    ///
    /// - Returns: The file's path; nil if the user has chosen none.
    /// - Throws: An error that states why there is no dialog.
    func chooseAnyFile(_ dialog: FileDialog) async throws -> String?

    /// Passes the frames of the camera to `show` until the task is cancelled.
    ///
    /// - Throws: `PictureProblem`.
    func watchCamera(
        _ settings: AppSettings,
        _ show: @escaping @Sendable (VideoFrame) -> Void
    ) async throws(PictureProblem)

    /// Whether voice messages can be recorded.
    var recordsVoice: Bool { get }

    /// Records the microphone to a new file until `end` finishes or the task is cancelled; the file is complete in both
    /// cases.
    ///
    /// - Parameters:
    ///   - settings: The settings, which select the microphone.
    ///   - path: The path of the file.
    ///   - end: The stream whose end stops the recording.
    ///   - onLevel: Receives the level in dBov ten times a second.
    /// - Throws: `ChatError`.
    func recordVoice(
        _ settings: AppSettings,
        to path: String,
        until end: AsyncStream<Never>,
        onLevel: @escaping @Sendable (Double) -> Void
    ) async throws(ChatError)

    /// Calls `body` with the user's account on the server in the settings.
    func withAccount(_ settings: AppSettings, _ body: @Sendable (any AccountService) async -> Void) async

    /// Calls `body` with the chat on the server in the settings, for `user`, or for a guest if `user` is nil.
    ///
    /// It returns without calling `body` if the server address allows no chat.
    func withChat(
        _ settings: AppSettings,
        _ user: ChatUser?,
        _ body: @Sendable (ChatSeat) async -> Void
    ) async

    /// Calls `body` with new services and closes them when it returns, even if the task is cancelled.
    ///
    /// - Throws: an error that states why the services cannot be created.
    func withServices(
        _ settings: AppSettings,
        token: String?,
        for identity: Identity,
        _ body: @Sendable (any SignalingService, any MediaService) async -> Void
    ) async throws
}

extension AppServices {
    package var notifications: (any NotificationService)? { nil }

    package func isAddress(_ server: String) -> Bool { true }
    package var samples: [LiveItem] { [] }
    package func ownStream(_ settings: AppSettings) async -> LiveAddress? { nil }
    package func ownStreamIsPublished() async -> Bool { false }
    package func chooseFile(_ dialog: FileDialog) async throws -> String? { nil }
    package func choosePicture(_ dialog: FileDialog) async throws -> String? { nil }
    package func chooseAnyFile(_ dialog: FileDialog) async throws -> String? { nil }
    package func watchCamera(
        _ settings: AppSettings,
        _ show: @escaping @Sendable (VideoFrame) -> Void
    ) async throws(PictureProblem) { throw .noCamera }
    package var recordsVoice: Bool { false }
    package func recordVoice(
        _ settings: AppSettings,
        to path: String,
        until end: AsyncStream<Never>,
        onLevel: @escaping @Sendable (Double) -> Void
    ) async throws(ChatError) { throw .notSupported }
    package func withAccount(
        _ settings: AppSettings,
        _ body: @Sendable (any AccountService) async -> Void
    ) async {}
    package func withChat(
        _ settings: AppSettings,
        _ user: ChatUser?,
        _ body: @Sendable (ChatSeat) async -> Void
    ) async {}
}

/// A provider of existing services, which it does not close.
struct StandingServices: AppServices {
    let signaling: any SignalingService
    let media: any MediaService

    func devices() async -> [MediaDevice] { await media.devices() }

    func withServices(
        _ settings: AppSettings,
        token: String?,
        for identity: Identity,
        _ body: @Sendable (any SignalingService, any MediaService) async -> Void
    ) async {
        await body(signaling, media)
    }
}
