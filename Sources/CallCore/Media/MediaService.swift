package import Basics

/// A service that creates the media sessions of calls.
///
/// It owns the media source, the window and the recordings, which outlive an attempt.
package protocol MediaService: Sendable {
    /// Prepares the DTLS key and the media source, which takes time and does not depend on the peer.
    ///
    /// - Throws: `CallMediaFailure`.
    func prepare() async throws

    /// Announces the name of the next call's peer, for use in the names of recordings; nil if it is unknown.
    func announcePeer(_ peer: String?) async

    /// Creates the peer connection of one attempt; it is never reused.
    ///
    /// - Throws: `CallMediaFailure`.
    func makeSession(role: Role, iceServers: [ICEServer]) async throws -> any MediaSession

    /// Sends silence instead of audio, or audio again, in the running attempt and all later ones.
    func setMuted(_ isMuted: Bool) async

    /// Stops or resumes sending video, in the running attempt and all later ones.
    func setCameraOff(_ isOff: Bool) async

    /// Sets the volume of the peer's audio in percent, in the running attempt and all later ones.
    func setVolume(_ percent: Int) async

    /// Announces the end of the call; another one may follow.
    func callEnded() async

    /// Starts recording the call from the next keyframe on, in addition to other recordings.
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

    /// A stream of the path of the recording that `startRecording` began, or nil while there is none.
    ///
    /// It begins with the current path and supports a single consumer.
    var recordingPaths: AsyncStream<String?> { get }

    /// A stream of the changes of the media that we send and of the recording of the peer.
    ///
    /// It supports a single consumer.
    var ownMedia: AsyncStream<OwnMedia.Change> { get }

    /// Saves the next keyframe of the peer's video as an image.
    ///
    /// - Parameter path: the output path; nil for a new file in the user's pictures folder.
    /// - Returns: the path, once the image is written.
    /// - Throws: `MediaRefusal`.
    func takeSnapshot(to path: String?) async throws(MediaRefusal) -> String

    /// Lists the devices that are connected now.
    func devices() async -> [MediaDevice]

    /// Lists the devices that calls use now.
    func deviceUse() async -> DeviceUse

    /// Switches to another device, in the running call and all later calls.
    ///
    /// `device` is an ID, a name, or `default` for the system's default device. The current device stays in
    /// use if the other one cannot be opened.
    ///
    /// - Returns: the name of the device.
    /// - Throws: `MediaRefusal`.
    func select(_ device: String, as kind: MediaDevice.Kind) async throws(MediaRefusal) -> String
}

/// Default implementations for services without these features.
extension MediaService {
    package func announcePeer(_ peer: String?) async {}

    package func setVolume(_ percent: Int) async {}

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

    package func devices() async -> [MediaDevice] { [] }

    package func deviceUse() async -> DeviceUse { DeviceUse() }

    package func select(_ device: String, as kind: MediaDevice.Kind) async throws(MediaRefusal) -> String {
        throw MediaRefusal(.unsupported, "choosing devices is not supported here")
    }
}

/// The media session of one attempt, which has exactly one peer connection.
///
/// Its methods throw `CallMediaFailure`, or `CancellationError` if the task is cancelled or the session is
/// closed.
package protocol MediaSession: Sendable {
    /// The events of the session, for a single consumer; the stream finishes when the session is closed.
    var events: AsyncStream<MediaEvent> { get }

    /// Creates the offer and sets it as the local description.
    func createOffer() async throws -> String
    /// Sets the offer as the remote description, creates the answer and sets it as the local description.
    func createAnswer(to offer: SessionOffer) async throws -> String
    func apply(answer: SignaledDescription) async throws
    /// Adds a remote candidate; an invalid candidate is ignored.
    func add(_ candidate: ICECandidate) async
    /// Releases the peer connection.
    ///
    /// Implementations must not check for cancellation.
    func close() async
}
