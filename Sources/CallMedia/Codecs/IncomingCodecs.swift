internal import Basics
internal import CallCore
internal import MediaKit
internal import Synchronization

/// The codecs of the media received from the peer.
///
/// They may differ from the codecs that the peer prefers, and may change during a call.
final class IncomingCodecs: Sendable {
    /// Emits an element when received audio or video uses a codec other than the previous or expected one;
    /// for a single consumer.
    let changes: AsyncStream<Void>

    private let change: AsyncStream<Void>.Continuation
    private let codecs = Mutex<[MediaKind: Codec]>([:])

    init() {
        // Only the latest change matters, and a peer may change codecs without limit.
        (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The current codec of each kind; a kind is absent if none of its codecs is expected or received.
    var current: [MediaKind: Codec] { codecs.withLock { $0 } }

    /// Sets the expected codec for the media kind of `codec`.
    func expect(_ codec: Codec) { codecs.withLock { $0[codec.kind] = codec } }

    /// Records the codec of received media; safe from any thread.
    func received(_ codec: Codec) {
        let isNew = codecs.withLock { $0.updateValue(codec, forKey: codec.kind) != codec }
        if isNew { change.yield() }
    }

    func finish() { change.finish() }
}
