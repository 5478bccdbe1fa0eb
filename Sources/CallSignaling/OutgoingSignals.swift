internal import Synchronization

/// The state shared by the room's connection and the channel that sends through it.
final class OutgoingSignals: Sendable {
    /// A description that was too large for the server.
    struct Oversize: Hashable, Sendable {
        let name: String
        let bytes: Int
        let limit: Int
        /// Whether a smaller one has gone out in its place.
        let isReduced: Bool
    }

    /// Single consumer.
    let oversizes: AsyncStream<Oversize>
    private let newOversizes: AsyncStream<Oversize>.Continuation
    private let wrapping = Mutex(false)

    init() {
        (oversizes, newOversizes) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Whether what the server does not pass on is sent inside an `answer` as well.
    var isWrapping: Bool { wrapping.withLock { $0 } }

    func setWrapping(_ isWrapping: Bool) { wrapping.withLock { $0 = isWrapping } }

    func tell(_ oversize: Oversize) { newOversizes.yield(oversize) }
}
