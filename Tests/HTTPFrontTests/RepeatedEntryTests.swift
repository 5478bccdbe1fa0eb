import NIOCore
import Testing

@testable import HTTPFront

@Suite("Repeated log entries")
struct RepeatedEntryTests {
    @Test("A repeated entry is written at most once a second, with the number of repetitions")
    func counts() {
        let start = NIODeadline.uptimeNanoseconds(1)
        var entry = RepeatedEntry()
        func count(at time: TimeAmount) -> Int? { entry.count(at: start + time) }
        #expect(count(at: .zero) == 1)
        #expect((0..<999).allSatisfy { count(at: .milliseconds($0)) == nil })
        #expect(count(at: .seconds(1)) == 1000)
        #expect(count(at: .seconds(5)) == 1)
    }
}
