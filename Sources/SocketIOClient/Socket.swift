public import Basics

/// A Socket.IO socket: one namespace of one server, with automatic reconnection.
public struct Socket: Sendable {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// The events of the connection and of the server, in order.
    ///
    /// The stream has a single consumer. The connection ends if more than 1,024 events are unread.
    public var events: AsyncStream<SocketEvent> { connection.events }

    /// Sends an event, or buffers it until there is a connection.
    ///
    /// - Throws: `SocketError.bufferFull`, `.tooManyAttachments` or `.tooLarge`.
    public func emit(_ name: String, _ arguments: JSON...) async throws(SocketError) {
        try await connection.emit(name, arguments)
    }

    /// Sends an event and waits for the server's acknowledgement.
    ///
    /// - Returns: The arguments of the acknowledgement.
    /// - Throws: `SocketError` or `CancellationError`.
    public func emitWithAck(_ name: String, _ arguments: JSON..., timeout: Duration) async throws -> [JSON] {
        try await connection.emitWithAck(name, arguments, timeout: timeout)
    }

    /// Connects after a disconnection or a refusal; does nothing while connected or connecting.
    public func connect() async { await connection.handle(.connect) }

    /// Checks that the server still responds, and reconnects immediately if it does not respond within two
    /// seconds.
    ///
    /// Call it when there are signs of a network failure that the connection itself cannot notice. It works
    /// over WebSocket; over polling, or without a connection, it does nothing.
    public func probe() async { await connection.handle(.doubt) }

    /// Returns the server's IP address as text; nil without a connection, and behind a proxy.
    package func serverAddress() async -> String? { await connection.serverAddress }

    /// Sends DISCONNECT and closes the connection; only `connect()` opens a new one.
    public func disconnect() async { await connection.handle(.disconnect) }
}
