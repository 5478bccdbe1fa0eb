internal import Synchronization

/// The state shared by the room's connection and its channel.
final class OutgoingSignals: Sendable {
    /// A description that was too large for the server.
    struct Oversize: Hashable, Sendable {
        let name: String
        let bytes: Int
        let limit: Int
        /// Whether a smaller description was sent instead.
        let isReduced: Bool
    }

    /// The descriptions that were too large for the server, for a single consumer.
    let oversizes: AsyncStream<Oversize>
    private let newOversizes: AsyncStream<Oversize>.Continuation
    private let wrapping = Mutex(false)

    init() {
        (oversizes, newOversizes) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Whether messages of types that the original server does not relay are sent a second time inside an `answer`.
    var isWrapping: Bool { wrapping.withLock { $0 } }

    func setWrapping(_ isWrapping: Bool) { wrapping.withLock { $0 = isWrapping } }

    func report(_ oversize: Oversize) { newOversizes.yield(oversize) }
}
