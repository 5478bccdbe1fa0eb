internal import Basics
internal import SocketIO

/// An action that the state machine requests of its connection; the connection performs actions in order.
enum ConnectionEffect: Hashable, Sendable {
    /// Starts a session: creates a transport and runs it.
    case open(life: Int, over: TransportName)
    /// Sends packets on the transport that carries the session.
    case send([EnginePacket])
    /// Checks that the server still responds.
    case ping
    /// Opens a WebSocket for the session with this id, while polling continues.
    case openProbe(sid: String)
    case sendOnProbe([EnginePacket])
    case dropProbe
    /// Pauses polling, after its requests in progress have finished, until it is resumed or replaced.
    case pausePolling
    case resumePolling
    /// Moves the session to the WebSocket that answered the probe, and ends polling.
    case switchToProbe
    /// Closes the transport after all packets have been sent; the session continues until the transport has
    /// closed.
    case close
    /// Ends the session immediately, with its transports and deadlines.
    case abandon
    case startDeadline(ConnectionDeadline, life: Int, after: Duration)
    /// Reports to the user.
    case report(ConnectionReport)
    /// Delivers a received acknowledgement.
    case resolveAck(Int, [JSON])
    /// Fails all pending acknowledgements of a lost connection, except those of unsent events.
    case failAcks(except: Set<Int>)
    /// Ends the connection permanently.
    case finish
}

/// A report to the user, from which `Connection` creates a `SocketEvent`.
enum ConnectionReport: Hashable, Sendable {
    case connecting(attempt: Int)
    case connected(sid: String)
    case upgraded
    case event(name: String, arguments: [JSON], ackID: Int?, life: Int)
    case undeliverable(name: String, bytes: Int, limit: Int)
    case disconnected(DisconnectReason, SocketFailure?, retryIn: Duration?)
    case connectFailed(SocketFailure, retryIn: Duration)
    case refused(message: String, data: JSON?)

    /// The approximate memory of an event in bytes; nil for a report about the connection itself.
    var size: Int? {
        guard case .event(let name, let arguments, _, _) = self else { return nil }
        return name.utf8.count + arguments.reduce(0) { $0 + Self.size(of: $1) }
    }

    private static func size(of value: JSON) -> Int {
        let own = MemoryLayout<JSON>.size
        return switch value {
        case .null, .bool, .int, .number: own
        case .string(let text): own + text.utf8.count
        case .binary(let bytes): own + bytes.count
        case .array(let items): own + items.reduce(0) { $0 + size(of: $1) }
        case .object(let members): own + members.reduce(0) { $0 + $1.key.utf8.count + size(of: $1.value) }
        }
    }
}
