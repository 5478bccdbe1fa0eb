/// Joins rooms, each for the time of a closure: leaving it leaves the room.
package protocol SignalingService: Sendable {
    /// Joins the room, calls `body` at once with its channel and leaves the room when `body` returns.
    ///
    /// The connection is made while `body` runs; what becomes of it arrives as `RoomEvent`s.
    func withRoom<Result: Sendable>(
        _ identity: Identity,
        role: Role,
        _ body: @Sendable (any SignalingChannel) async throws -> Result
    ) async throws -> Result
}

/// One room, joined.
package protocol SignalingChannel: Sendable {
    /// Single consumer; finishes after `.failed`, or when the room is left.
    var events: AsyncStream<RoomEvent> { get }

    /// Sends to the others in the room, in order; kept while the socket is down and sent on return.
    ///
    /// Where it is meant for one of several, `name` says for whom; clients of our own kind that bear another
    /// name do not hear it.
    func send(_ message: SignalMessage, to name: String?) async

    /// Asks the server for a sign of life; a socket that gives none within two seconds is replaced.
    func probe() async

    /// Leaves the room and joins it again, so that the server itself tells the others.
    func rejoin() async
}

extension SignalingChannel {
    /// Sends to all others in the room.
    package func send(_ message: SignalMessage) async { await send(message, to: nil) }
}
