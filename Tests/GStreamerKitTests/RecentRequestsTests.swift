import Testing

@testable import GStreamerKit

@Suite("Packets asked for again")
struct RecentRequestsTests {
    @Test("Only the first request of each is one, until it is long ago")
    func first() {
        var requests = RecentRequests()
        let asked = [7, 7] + Array(100..<227) + [7, 300, 7, 102]
        let repeated = asked.filter { !requests.isFirst(Double($0)) }
        #expect(repeated == [7, 7, 102])
    }

    @Test("A request that names no packet is none")
    func nameless() {
        var requests = RecentRequests()
        let isFirst = requests.isFirst(nil)
        #expect(!isFirst)
    }
}
