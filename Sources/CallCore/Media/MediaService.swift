/// Makes the media half of calls; source, window and recordings belong to it and outlive attempts.
package protocol MediaService: Sendable {
    /// Prepares whatever costs time and does not depend on the peer: the DTLS key, the source.
    ///
    /// - Throws: `MediaFailure`.
    func prepare() async throws

    /// Says whom the next call is with, where that is known: recordings may be named after the peer.
    func willCall(_ peer: String?) async

    /// A peer connection for one attempt, thrown away whole.
    ///
    /// - Throws: `MediaFailure`.
    func makeSession(role: Role, iceServers: [ICEServer]) async throws -> any MediaSession

    /// Sends silence in place of the microphone, in this attempt and those to come.
    func setMuted(_ isMuted: Bool) async

    /// Sends no pictures, in this attempt and those to come.
    func setCameraOff(_ isOff: Bool) async

    /// Says that the call is over; another may follow.
    func callEnded() async

    /// Records the running call from the next keyframe on, beside what is recorded anyway.
    ///
    /// - Parameters:
    ///   - path: where to; nil for a new file in the user's folder for videos.
    ///   - sides: whose; nil for both, or for the peer's where the file can hold but one.
    /// - Returns: the path.
    /// - Throws: `MediaRefusal`.
    func startRecording(to path: String?, sides: Set<MediaSide>?) async throws(MediaRefusal) -> String

    /// Ends what `startRecording` began, and returns when the file is whole.
    ///
    /// - Throws: `MediaRefusal`.
    func stopRecording() async throws(MediaRefusal)

    /// The file of what `startRecording` began, each time that changes, the present one first; nil for none.
    ///
    /// Single consumer.
    var recordingPaths: AsyncStream<String?> { get }

    /// The streams sent, and whether the peer is recorded, each time that changes.
    ///
    /// Single consumer.
    var ownMedia: AsyncStream<OwnMedia.Change> { get }

    /// Keeps one picture of the peer, from its next keyframe.
    ///
    /// - Parameter path: where; nil for a new file in the user's folder for pictures.
    /// - Returns: the path, once the picture is there.
    /// - Throws: `MediaRefusal`.
    func takeSnapshot(to path: String?) async throws(MediaRefusal) -> String

    /// The devices that are there now.
    func devices() async -> [CallDevice]

    /// The devices with which calls are held now.
    func deviceUse() async -> DeviceUse

    /// Goes on with another device, by its id or name, or with the system's own (`default`), in the running call and
    /// those to come; the present one stays where the other cannot be opened.
    ///
    /// - Returns: its name.
    /// - Throws: `MediaRefusal`.
    func select(_ device: String, as kind: CallDevice.Kind) async throws(MediaRefusal) -> String
}

/// Most services have no use for it.
extension MediaService {
    package func willCall(_ peer: String?) async {}

    package func callEnded() async {}

    package func startRecording(
        to path: String?,
        sides: Set<MediaSide>?
    ) async throws(MediaRefusal) -> String {
        throw MediaRefusal(.unsupported, "nothing can be recorded here")
    }

    package func stopRecording() async throws(MediaRefusal) {
        throw MediaRefusal(.notRecording, "nothing is being recorded")
    }

    package var recordingPaths: AsyncStream<String?> { AsyncStream { $0.finish() } }

    package var ownMedia: AsyncStream<OwnMedia.Change> { AsyncStream { $0.finish() } }

    package func takeSnapshot(to path: String?) async throws(MediaRefusal) -> String {
        throw MediaRefusal(.unsupported, "no pictures can be kept here")
    }

    package func devices() async -> [CallDevice] { [] }

    package func deviceUse() async -> DeviceUse { DeviceUse() }

    package func select(_ device: String, as kind: CallDevice.Kind) async throws(MediaRefusal) -> String {
        throw MediaRefusal(.unsupported, "no devices can be chosen here")
    }
}

/// One attempt: exactly one peer connection.
package protocol MediaSession: Sendable {
    /// Single consumer; finishes when the session is closed.
    var events: AsyncStream<MediaEvent> { get }

    /// Creates the offer and sets it as local description.
    func createOffer() async throws -> String
    /// Sets the offer as remote description, creates the answer and sets it as local description.
    func createAnswer(to offer: String) async throws -> String
    func apply(answer: String) async throws
    /// Adds a remote candidate; one that cannot be used is ignored.
    func add(_ candidate: ICECandidate) async
    /// Releases the peer connection. Must not check cancellation.
    func close() async
}
