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
}

extension MediaService {
    /// Most have no use for it.
    package func willCall(_ peer: String?) async {}
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
