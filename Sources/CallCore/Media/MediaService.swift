/// A service that makes the media sessions of calls.
///
/// The source, the window and the recordings belong to it and outlive attempts.
package protocol MediaService: Sendable {
    /// Prepares everything that takes time and does not depend on the peer: the DTLS key, the source.
    ///
    /// - Throws: `MediaFailure`.
    func prepare() async throws

    /// Announces the peer of the next call, if it is known: recordings may be named after it.
    func announcePeer(_ peer: String?) async

    /// Creates the peer connection of one attempt; it is never reused.
    ///
    /// - Throws: `MediaFailure`.
    func makeSession(role: Role, iceServers: [ICEServer]) async throws -> any MediaSession

    /// Switches between the microphone and silence, in this attempt and those to come.
    func setMuted(_ isMuted: Bool) async

    /// Stops or resumes sending video, in this attempt and those to come.
    func setCameraOff(_ isOff: Bool) async

    /// Announces the end of the call; another one may follow.
    func callEnded() async

    /// Records the running call from the next keyframe on, in addition to other recordings.
    ///
    /// - Parameters:
    ///   - path: the output path; nil for a new file in the user's videos folder.
    ///   - sides: the sides to record; nil for both, or for the peer's if the file can hold only one.
    /// - Returns: the path of the file.
    /// - Throws: `MediaRefusal`.
    func startRecording(to path: String?, sides: Set<MediaSide>?) async throws(MediaRefusal) -> String

    /// Ends the recording that `startRecording` began, and returns when the file is complete.
    ///
    /// - Throws: `MediaRefusal`.
    func stopRecording() async throws(MediaRefusal)

    /// The path of the recording that `startRecording` began: the current one, then each change; nil for
    /// none.
    ///
    /// Single consumer.
    var recordingPaths: AsyncStream<String?> { get }

    /// The streams sent, and whether the peer is recorded, each time that this changes.
    ///
    /// Single consumer.
    var ownMedia: AsyncStream<OwnMedia.Change> { get }

    /// Saves one frame of the peer's video as an image, from its next keyframe on.
    ///
    /// - Parameter path: the output path; nil for a new file in the user's pictures folder.
    /// - Returns: the path, once the image is written.
    /// - Throws: `MediaRefusal`.
    func takeSnapshot(to path: String?) async throws(MediaRefusal) -> String

    /// Lists the devices that are connected now.
    func devices() async -> [CallDevice]

    /// Lists the devices that calls use now.
    func deviceUse() async -> DeviceUse

    /// Switches to another device, in the running call and those to come.
    ///
    /// The device is given by its ID or name, or as `default` for the system's own. The present one stays in
    /// use if the other cannot be opened.
    ///
    /// - Returns: the name of the device.
    /// - Throws: `MediaRefusal`.
    func select(_ device: String, as kind: CallDevice.Kind) async throws(MediaRefusal) -> String
}

/// Default implementations for services without these features.
extension MediaService {
    package func announcePeer(_ peer: String?) async {}

    package func callEnded() async {}

    package func startRecording(
        to path: String?,
        sides: Set<MediaSide>?
    ) async throws(MediaRefusal) -> String {
        throw MediaRefusal(.unsupported, "recording is not supported here")
    }

    package func stopRecording() async throws(MediaRefusal) {
        throw MediaRefusal(.notRecording, "nothing is being recorded")
    }

    package var recordingPaths: AsyncStream<String?> { AsyncStream { $0.finish() } }

    package var ownMedia: AsyncStream<OwnMedia.Change> { AsyncStream { $0.finish() } }

    package func takeSnapshot(to path: String?) async throws(MediaRefusal) -> String {
        throw MediaRefusal(.unsupported, "snapshots are not supported here")
    }

    package func devices() async -> [CallDevice] { [] }

    package func deviceUse() async -> DeviceUse { DeviceUse() }

    package func select(_ device: String, as kind: CallDevice.Kind) async throws(MediaRefusal) -> String {
        throw MediaRefusal(.unsupported, "choosing devices is not supported here")
    }
}

/// The media session of one attempt: exactly one peer connection.
package protocol MediaSession: Sendable {
    /// The events of the session; for a single consumer, finished when the session is closed.
    var events: AsyncStream<MediaEvent> { get }

    /// Creates the offer and sets it as the local description.
    func createOffer() async throws -> String
    /// Sets the offer as the remote description, creates the answer and sets it as the local description.
    func createAnswer(to offer: String) async throws -> String
    func apply(answer: String) async throws
    /// Adds a remote candidate; an unusable one is ignored.
    func add(_ candidate: ICECandidate) async
    /// Releases the peer connection.
    ///
    /// Implementations must not check for cancellation.
    func close() async
}
