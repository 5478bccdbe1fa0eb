/// A service that joins rooms, each for the duration of a closure.
package protocol SignalingService: Sendable {
    /// Joins a room, calls `body` with its channel, and leaves the room when `body` returns.
    ///
    /// `body` is called immediately. The connection is established while it runs, and the result is reported as a
    /// `RoomEvent`.
    func withRoom<Result: Sendable>(
        _ identity: Identity,
        role: Role,
        _ body: @Sendable (any SignalingChannel) async throws -> Result
    ) async throws -> Result
}

/// The channel of a joined room.
package protocol SignalingChannel: Sendable {
    /// The events of the room, for a single consumer; the stream finishes after `.failed` or when the room is
    /// left.
    var events: AsyncStream<RoomEvent> { get }

    /// Sends a message to the others in the room, in order; while the socket is down, a limited number of
    /// messages is queued, and further ones are dropped.
    ///
    /// `name` addresses one of several participants, or all if it is nil; callrunner clients with another
    /// name ignore the message.
    func send(_ message: SignalMessage, to name: String?) async

    /// Checks that the server still responds; a socket without a response within two seconds is replaced.
    func probe() async

    /// Leaves the room and joins it again, so that the server reports our leave to the others even if our own message
    /// has not reached them.
    func rejoin() async
}

extension SignalingChannel {
    /// Sends a message to all others in the room.
    package func send(_ message: SignalMessage) async { await send(message, to: nil) }
}
