internal import GLibKit
public import SocketIO

/// A Socket.IO socket: one namespace of one server, connected again and again.
public struct Socket: Sendable {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// What becomes of the connection, and the server's events, in order.
    ///
    /// Single consumer. A reader that falls 1,024 events behind loses the connection.
    public var events: AsyncStream<SocketEvent> { connection.events }

    /// Sends an event; kept while there is no connection, and sent when there is one.
    ///
    /// - Throws: `SocketError.bufferFull`, `.tooManyAttachments`, `.tooLarge`.
    public func emit(_ name: String, _ arguments: JSON...) async throws(SocketError) {
        try await connection.emit(name, arguments)
    }

    /// Sends an event and waits for the server's acknowledgement.
    ///
    /// - Returns: the arguments of the acknowledgement.
    /// - Throws: `SocketError`, or `CancellationError`.
    public func emitWithAck(_ name: String, _ arguments: JSON..., timeout: Duration) async throws -> [JSON] {
        try await connection.emitWithAck(name, arguments, timeout: timeout)
    }

    /// Connects after a disconnection or a refusal; does nothing while connected or trying.
    public func connect() async { await connection.handle(.connect) }

    /// Asks the server for a sign of life: one that gives none within two seconds is connected to anew at once.
    ///
    /// For those who notice by other means that the network may have changed under the connection. Asks
    /// over WebSocket; does nothing over polling, or while there is no connection.
    public func probe() async { await connection.handle(.doubt) }

    /// The server's address, in text; nil while there is no connection, and where a proxy stands between.
    package func serverAddress() async -> String? { await connection.serverAddress }

    /// Says goodbye to the server and closes the connection; no attempt follows but by `connect()`.
    public func disconnect() async { await connection.handle(.disconnect) }
}
