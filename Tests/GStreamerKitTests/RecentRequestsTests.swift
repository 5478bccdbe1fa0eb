import Testing

@testable import GStreamerKit

@Suite("Retransmission requests")
struct RecentRequestsTests {
    @Test("A packet is requested at most once per interval, independently of other packets")
    func pauses() {
        var requests = RecentRequests()
        let asked: [(Double, UInt64)] = [
            (7, 0), (7, 50), (8, 60), (7, 99), (7, 100), (7, 150), (8, 160), (7, 200),
        ]
        let due = asked.map { requests.isDue($0.0, at: $0.1, every: 100) }
        #expect(due == [true, false, true, false, true, false, true, true])
    }

    @Test("The number of stored requests is bounded, and the oldest requests are forgotten")
    func forgotten() {
        var requests = RecentRequests()
        let asked = [7] + Array(100..<228) + [100, 7]
        let held = asked.filter { !requests.isDue(Double($0), at: 1, every: 100) }
        #expect(held == [100])
    }
}
