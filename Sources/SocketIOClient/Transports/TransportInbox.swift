internal import Basics
internal import GLibKit
internal import SocketIO

/// The unread events of a transport.
///
/// If there are too many unread packets, the transport ends with `SocketFailure.flooded`.
@LoopActor
final class TransportInbox {
    /// The maximum number of unread packets, and of packets in one response to a poll.
    nonisolated static let packetLimit = 4096
    /// The maximum total size of unread packets, as a multiple of the maximum message size.
    private nonisolated static let messageLimit = 8

    /// The events in order, for a single consumer; `.ended` is the last event.
    nonisolated let events: BoundedQueue<TransportEvent>
    /// Called when there are too many unread packets, to stop the connection.
    ///
    /// libsoup returns to the loop, where packets are read, only when the server pauses.
    var onExcess: () -> Void = {}
    /// Whether the last event was added.
    private(set) var hasEnded = false

    nonisolated init(maximumPayload: Int) {
        events = BoundedQueue(
            countLimit: Self.packetLimit,
            sizeLimit: min(maximumPayload, 1 << 40) * Self.messageLimit
        )
    }

    /// Adds an event, unless the last one was added.
    func add(_ event: TransportEvent) {
        guard !hasEnded else { return }
        guard case .packet(let packet) = event else {
            _ = events.send(event)  // without a size, it is never refused
            if case .ended = event { finish() }
            return
        }
        guard !events.send(event, size: packet.size) else { return }
        add(.ended(TransportEnd(reason: .transportError, failure: .flooded)))
        onExcess()
    }

    func finish() {
        hasEnded = true
        events.finish()
    }
}

extension EnginePacket {
    /// The approximate size in bytes.
    var size: Int {
        switch self {
        case .message(let text), .ping(let text), .pong(let text): text.utf8.count
        case .binary(let bytes): bytes.count
        case .open, .close, .upgrade, .noop: 0
        }
    }
}
