internal import CallCore

/// A WebRTC peer connection including its media; the signaling is left to the application.
///
/// The caller creates an offer and applies the answer; the callee creates an answer to the offer. Both send
/// each other the candidates from `events`. Every connection must be closed; otherwise its threads keep
/// running.
///
/// ```swift
/// let connection = try await PeerConnection(configuration)
/// try await send(.offer(connection.createOffer()))
/// for await event in connection.events {
///     if case .localCandidate(let candidate) = event { try await send(.candidate(candidate)) }
/// }
/// await connection.close()
/// ```
public final class PeerConnection: Sendable {
    /// The events in order, for a single consumer; the stream finishes when the connection is closed.
    public let events: AsyncStream<Event>
    /// The peer's video frames, each at its due time, if `Configuration.decodedKinds` contains `.video`.
    ///
    /// The stream supports a single consumer. It buffers at most two frames; older ones are dropped.
    public let videoFrames: AsyncStream<VideoFrame>
    /// The peer's audio as it arrives, if `Configuration.decodedKinds` contains `.audio`.
    ///
    /// The stream supports a single consumer. It holds at most fifty buffers, a second of Opus; older ones are dropped.
    public let audioBuffers: AsyncStream<AudioBuffer>

    private let service: LiveMediaService
    private let session: any MediaSession
    private let output: AsyncStream<Event>.Continuation
    private let frames: AsyncStream<VideoFrame>.Continuation
    private let buffers: AsyncStream<AudioBuffer>.Continuation
    private let readers: [Task<Void, Never>]

    /// Opens the source, reserves the recordings and creates the connection; nothing is sent yet.
    ///
    /// - Parameter configuration: the source, the recordings and the ICE servers.
    /// - Throws: `Failure`, or `CancellationError`.
    public init(_ configuration: Configuration) async throws {
        let output: AsyncStream<Event>.Continuation
        (events, output) = AsyncStream.makeStream(of: Event.self)
        (videoFrames, frames) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(2))
        (audioBuffers, buffers) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(50))
        var media = try Failure.wrapping { try MediaConfiguration(configuration) }
        if configuration.decodedKinds.contains(.video) { media.frames = FrameOutput(frames: frames) }
        if configuration.decodedKinds.contains(.audio) {
            media.samples = { [buffers] in buffers.yield($0) }
        }
        let service = LiveMediaService(configuration: media)
        do {
            let session = try await service.makeSession(role: .caller, iceServers: [])
            readers = [
                Task { for await event in session.events { Event(event).map { _ = output.yield($0) } } },
                Task { for await notice in service.notices { Event(notice).map { _ = output.yield($0) } } },
            ]
            self.session = session
        } catch {
            await service.finish()
            throw Failure.wrapped(error)
        }
        (self.service, self.output) = (service, output)
    }

    /// Creates the offer and sets it as local description.
    ///
    /// - Returns: a session description (RFC 8866).
    /// - Throws: `Failure`, or `CancellationError`.
    public func createOffer() async throws -> String {
        try await Failure.wrapping { try await session.createOffer() }
    }

    /// Sets the offer as remote description, creates the answer and sets it as local description.
    ///
    /// - Parameter offer: the peer's session description; malformed or hostile text is rejected.
    /// - Returns: a session description (RFC 8866).
    /// - Throws: `Failure`, or `CancellationError`.
    public func createAnswer(to offer: String) async throws -> String {
        try await Failure.wrapping { try await session.createAnswer(to: SessionOffer(parsing: offer)) }
    }

    /// Sets the answer to our offer as remote description.
    ///
    /// - Parameter answer: the peer's session description; malformed or hostile text is rejected.
    /// - Throws: `Failure`, or `CancellationError`.
    public func apply(answer: String) async throws {
        try await Failure.wrapping { try await session.apply(answer: SignaledDescription(answer)) }
    }

    /// Adds a candidate received from the peer; an unusable candidate is ignored.
    ///
    /// The candidate may arrive before the session description that it belongs to.
    public func add(_ candidate: Candidate) async { await session.add(ICECandidate(candidate)) }

    /// Mutes or unmutes outgoing audio; silence is sent while it is muted.
    public func setMuted(_ isMuted: Bool) async { await service.setMuted(isMuted) }

    /// Stops or resumes sending video; the first frame after resuming is a keyframe.
    public func setCameraOff(_ isOff: Bool) async { await service.setCameraOff(isOff) }

    /// Closes the connection and the recordings.
    ///
    /// `events` reports the saved recordings; then all streams finish. Further calls wait for the first call.
    /// Cancellation of the calling task does not interrupt closing.
    public func close() async {
        await session.close()
        await service.finish()
        for reader in readers { await reader.value }
        output.finish()
        frames.finish()
        buffers.finish()
    }
}
