package import CallCore

/// A signaling service whose room emits a fixed sequence of events and drops all messages sent to it.
package struct ScriptedSignaling: SignalingService {
    private let events: [RoomEvent]

    package init(_ events: [RoomEvent]) {
        self.events = events
    }

    package func withRoom<Result: Sendable>(
        _ identity: Identity,
        role: Role,
        _ body: @Sendable (any SignalingChannel) async throws -> Result
    ) async throws -> Result {
        let (stream, continuation) = AsyncStream.makeStream(of: RoomEvent.self)
        for event in events { continuation.yield(event) }
        defer { continuation.finish() }
        return try await body(Channel(events: stream))
    }

    private struct Channel: SignalingChannel {
        let events: AsyncStream<RoomEvent>

        func send(_ message: SignalMessage, to name: String?) async {}
        func probe() async {}
        func rejoin() async {}
    }
}
