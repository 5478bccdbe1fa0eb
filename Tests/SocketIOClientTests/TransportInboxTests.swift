import Basics
import GLibKit
import SocketIO
import Testing

@testable import SocketIOClient

@Suite("Limits on unread packets from a server", .timeLimit(.minutes(4)))
struct TransportInboxTests {
    @Test(
        "A transport ends when too many packets are unread",
        arguments: [(5000, ""), (20, String(repeating: "x", count: 100))]
    )
    @LoopActor
    func transport(_ count: Int, _ text: String) async {
        let inbox = TransportInbox(maximumPayload: 200)
        var excesses = 0
        inbox.onExcess = { excesses += 1 }
        inbox.add(.opened)
        for _ in 0..<count { inbox.add(.packet(.ping(text))) }
        var events: [TransportEvent] = []
        for await event in inbox.events { events.append(event) }
        #expect(events.count < count)
        #expect(events.last == .ended(TransportEnd(reason: .transportError, failure: .flooded)))
        #expect(excesses == 1)
    }
}
