import CallCore
import CallTesting
import Testing

@Suite("Room session")
@MainActor
struct RoomSessionTests {
    private struct Channel: SignalingChannel {
        let events: AsyncStream<RoomEvent>

        func send(_ message: SignalMessage, to name: String?) async {}
        func probe() async {}
        func rejoin() async {}
    }

    @Test("Events are read from the channel no faster than the session handles them", .timeLimit(.minutes(4)))
    func pace() async throws {
        let result = await Simulation.run { clock in
            let (events, server) = AsyncStream.makeStream(
                of: RoomEvent.self,
                bufferingPolicy: .bufferingOldest(8)
            )
            return await RoomSession.run(
                PresenceTracker(role: .callee),
                channel: Channel(events: events),
                media: FakeMedia(name: "bob", network: FakeNetwork(), clock: clock),
                clock: clock,
                inputs: AsyncStream.makeStream(of: RoomInput.self)
            ) { room in
                var kept = 0
                for _ in 0..<100 {
                    if case .enqueued = server.yield(.message(.ringing(offerID: nil))) { kept += 1 }
                    try? await clock.sleep(for: .milliseconds(1))
                }
                var read = 0
                while read < kept, await room.next() != nil { read += 1 }
                return (kept, read)
            }
        }
        let (kept, read) = try #require(result)
        #expect(kept == 9)
        #expect(read == kept)
    }
}
