import Testing

@testable import GStreamerKit

@Suite("Retransmission requests")
struct RecentRequestsTests {
    private static func request(_ number: UInt16, of ssrc: UInt32 = 1) -> RetransmissionRequest {
        RetransmissionRequest(ssrc: ssrc, number: number)
    }

    @Test("A packet is requested at most once per interval, independently of other packets")
    func pauses() {
        var requests = RecentRequests()
        let asked: [(UInt16, UInt64)] = [
            (7, 0), (7, 50), (8, 60), (7, 99), (7, 100), (7, 150), (8, 160), (7, 200),
        ]
        let due = asked.map { requests.isDue(Self.request($0.0), at: $0.1, every: 100) }
        #expect(due == [true, false, true, false, true, false, true, true])
    }

    @Test("Packets with the same number in different streams are tracked separately")
    func streams() {
        var requests = RecentRequests()
        let due = [(1, 0), (2, 1), (2, 2)].map { ssrc, now in
            requests.isDue(Self.request(7, of: ssrc), at: now, every: 100)
        }
        #expect(due == [true, true, false])
    }

    @Test("The number of stored requests is bounded, and a new request replaces the oldest one")
    func forgotten() {
        var requests = RecentRequests()
        let numbers = (0..<UInt16(RecentRequests.maximum)).map { $0 &+ 65_000 }
        let held = (0..<2).map { _ in numbers.filter { !requests.isDue(Self.request($0), at: 1, every: 100) }
        }
        #expect(held == [[], numbers])
        let later = [numbers[0] &+ UInt16(RecentRequests.maximum), numbers[0], numbers[1]]
        let due = later.map { requests.isDue(Self.request($0), at: 1, every: 100) }
        #expect(due == [true, true, false])
    }
}
