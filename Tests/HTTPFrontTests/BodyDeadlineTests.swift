import NIOCore
import Testing

@testable import HTTPFront

@Suite("Deadlines of request bodies")
struct BodyDeadlineTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private func begun() -> BodyDeadline {
        var deadline = BodyDeadline()
        deadline.begin(at: start, within: .seconds(10))
        return deadline
    }

    @Test("The deadline of a streamed body is extended after every 16 KiB")
    func progress() {
        var deadline = begun()
        #expect(deadline.receive(16_383, at: start + .seconds(9)) == false)
        #expect(deadline.time == start + .seconds(10))
        #expect(deadline.receive(1, at: start + .seconds(9)) == true)
        #expect(deadline.time == start + .seconds(19))
    }

    @Test("A streamed body times out after 30 seconds if its average rate is below 5 KB/s")
    func rate() {
        var deadline = begun()
        var seconds: Int64 = 0
        while deadline.time > start + .seconds(seconds) {
            seconds += 1
            _ = deadline.receive(4000, at: start + .seconds(seconds))
        }
        #expect(seconds == 30)
        deadline = begun()
        for second in 1..<1000 {
            _ = deadline.receive(6000, at: start + .seconds(Int64(second)))
            #expect(deadline.time > start + .seconds(Int64(second)))
        }
    }

    @Test("A pause in reading extends the deadline by the length of the pause")
    func pauses() {
        var deadline = begun()
        deadline.beginPause(at: start + .seconds(2))
        deadline.beginPause(at: start + .seconds(50))
        deadline.endPause(at: start + .seconds(102))
        deadline.endPause(at: start + .seconds(200))
        #expect(deadline.time == start + .seconds(110))
        _ = deadline.receive(20_000, at: start + .seconds(125))
        #expect(deadline.time == start + .seconds(130))
    }

    @Test("Shortening a deadline to a later time has no effect")
    func shorter() {
        var deadline = begun()
        deadline.shorten(to: .seconds(5))
        #expect(deadline.time == start + .seconds(5))
        deadline.shorten(to: .seconds(50))
        #expect(deadline.time == start + .seconds(5))
    }
}
