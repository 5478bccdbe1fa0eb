internal import CallCore
internal import Synchronization

/// The codecs in which the peer's media comes, which may differ from what it prefers and may change.
final class IncomingCodecs: Sendable {
    /// Tells that media of a kind comes in another codec than it did, or was expected; single consumer.
    let changes: AsyncStream<Void>

    private let change: AsyncStream<Void>.Continuation
    private let codecs = Mutex<[MediaKind: Codec]>([:])

    init() {
        // Only the latest counts, because a peer may change as often as it likes.
        (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// By kind; nothing for what is not expected.
    var current: [MediaKind: Codec] { codecs.withLock { $0 } }

    /// Says what is to come.
    func expect(_ codec: Codec) { codecs.withLock { $0[codec.kind] = codec } }

    /// Says what has come; from any thread.
    func received(_ codec: Codec) {
        let isNew = codecs.withLock { $0.updateValue(codec, forKey: codec.kind) != codec }
        if isNew { change.yield() }
    }

    func finish() { change.finish() }
}
