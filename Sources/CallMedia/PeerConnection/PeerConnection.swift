internal import CallCore

/// One WebRTC peer connection with its media: what a call is made of, for any signaling.
///
/// The caller creates an offer and applies the answer; the callee creates an answer to the offer. Both
/// pass on the candidates of `events`. Every connection is to be closed, or its threads stay.
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
    /// What happens, in order, until `close()` has returned; single consumer.
    public let events: AsyncStream<Event>

    private let service: LiveMediaService
    private let session: any MediaSession
    private let news: AsyncStream<Event>.Continuation
    private let readers: [Task<Void, Never>]

    /// Opens the source, reserves the recordings and makes the connection; nothing is sent yet.
    ///
    /// - Parameter configuration: what is sent, recorded and shown.
    /// - Throws: `Failure`, or `CancellationError`.
    public init(_ configuration: Configuration) async throws {
        let news: AsyncStream<Event>.Continuation
        (events, news) = AsyncStream.makeStream(of: Event.self)
        let media = try Failure.wrapping { try MediaConfiguration(configuration) }
        let service = LiveMediaService(configuration: media)
        do {
            let session = try await service.makeSession(role: .caller, iceServers: [])
            readers = [
                Task { for await event in session.events { Event(event).map { _ = news.yield($0) } } },
                Task { for await notice in service.notices { Event(notice).map { _ = news.yield($0) } } },
            ]
            self.session = session
        } catch {
            await service.finish()
            throw Failure.wrapped(error)
        }
        (self.service, self.news) = (service, news)
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
    /// - Parameter offer: the peer's session description; hostile text is refused.
    /// - Returns: a session description (RFC 8866).
    /// - Throws: `Failure`, or `CancellationError`.
    public func createAnswer(to offer: String) async throws -> String {
        try await Failure.wrapping { try await session.createAnswer(to: offer) }
    }

    /// Sets the answer to our offer as remote description.
    ///
    /// - Parameter answer: the peer's session description; hostile text is refused.
    /// - Throws: `Failure`, or `CancellationError`.
    public func apply(answer: String) async throws {
        try await Failure.wrapping { try await session.apply(answer: answer) }
    }

    /// Adds a candidate of the peer; one that cannot be used is ignored.
    ///
    /// It may come before the description that it belongs to.
    public func add(_ candidate: Candidate) async { await session.add(ICECandidate(candidate)) }

    /// Sends silence in place of sound, or sound again.
    public func setMuted(_ isMuted: Bool) async { await service.setMuted(isMuted) }

    /// Sends no pictures, or pictures again from a keyframe on.
    public func setCameraOff(_ isOff: Bool) async { await service.setCameraOff(isOff) }

    /// Hangs up and closes the recordings; `events` tells what was saved and then finishes.
    ///
    /// Further calls wait for the first one. Goes on where the calling task is cancelled.
    public func close() async {
        await session.close()
        await service.finish()
        for reader in readers { await reader.value }
        news.finish()
    }
}
