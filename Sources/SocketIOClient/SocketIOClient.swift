internal import GLibKit

/// A Socket.IO 5 client over WebSocket and HTTP long polling.
///
/// ```swift
/// let client = SocketIOClient(try SocketConfiguration(url: "http://127.0.0.1:3000", query: ["room": "1"]))
/// try await client.withSocket { socket in
///     try await socket.emit("hello", "world")
///     for await event in socket.events { print(event) }
/// }
/// ```
public struct SocketIOClient: Sendable {
    private let configuration: SocketConfiguration

    /// Creates a client.
    public init(_ configuration: SocketConfiguration) { self.configuration = configuration }

    /// Calls `body` with a socket that connects while `body` runs, and disconnects when `body` returns or
    /// throws.
    ///
    /// Cancellation of the task does not end the connection, so that a cancelled `body` can still send.
    /// Disconnecting takes at most a second.
    /// - Throws: The errors of `body`; failures of the connection arrive as `SocketEvent`s.
    public func withSocket<Result, Failure: Error>(
        _ body: (Socket) async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let connection = Connection(configuration)
        // This is not a child task: the caller's cancellation would end a child task before DISCONNECT is
        // sent. Every path below awaits the task.
        let life = Task { await connection.run() }
        do throws(Failure) {
            let result = try await body(Socket(connection))
            await connection.handle(.finish)
            await life.value
            return result
        } catch {
            await connection.handle(.finish)
            await life.value
            throw error
        }
    }
}
