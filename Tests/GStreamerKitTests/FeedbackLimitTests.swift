import Testing

@testable import GStreamerKit

@Suite("The limit on RTCP feedback")
struct FeedbackLimitTests {
    private static let second: UInt64 = 1_000_000_000
    private static let report: [UInt8] = [0x80, 201, 0, 1, 1, 2, 3, 4]

    /// Creates a NACK with this number of entries, each for 17 packets.
    private static func nack(entries: Int) -> [UInt8] {
        let words = UInt8((entries + 2) / 256)
        let head: [UInt8] = [0x81, 205, words, UInt8(truncatingIfNeeded: entries + 2)]
        return head + [1, 2, 3, 4, 5, 6, 7, 8] + (0..<entries).flatMap { _ in [0, 9, 0xFF, 0xFF] as [UInt8] }
    }

    @Test("A compound packet that is longer than the MTU is dropped")
    func length() {
        var limit = FeedbackLimit()
        let long = [UInt8](repeating: 0, count: FeedbackLimit.longest + 1)
        let packets = [Self.nack(entries: 369), Self.nack(entries: 16_000), long]
        let admitted = packets.map { limit.admits($0, at: 0) }
        #expect(admitted == [true, false, false])
    }

    @Test("A flood of retransmission requests is dropped, but reports without requests pass")
    func flood() {
        var limit = FeedbackLimit()
        let nack = Self.nack(entries: 369)
        let admitted = (0..<100).filter { _ in limit.admits(Self.report + nack, at: 0) }.count
        #expect(admitted == Int(FeedbackLimit.burst) / (369 * 17))
        let isReportAdmitted = limit.admits(Self.report, at: 0)
        #expect(isReportAdmitted)
        let later = (0..<UInt64(100)).filter { limit.admits(nack, at: Self.second * $0 / 10) }.count
        #expect((6...9).contains(later))
    }

    @Test("A peer that loses half of a 20 Mb/s stream may request each packet four times")
    func honest() {
        var limit = FeedbackLimit()
        // 1000 lost packets in a second, each requested four times, every 25 milliseconds.
        let request = Self.report + Self.nack(entries: 6)
        let dropped = (0..<UInt64(400)).filter { !limit.admits(request, at: $0 * Self.second / 40) }
        #expect(dropped.isEmpty)
    }

    @Test("The rate of all packets is limited, and that of feedback packets more strictly")
    func packets() {
        func admitted(_ packet: [UInt8]) -> Int {
            var limit = FeedbackLimit()
            return (0..<UInt64(20_000)).filter { limit.admits(packet, at: $0 * Self.second / 10_000) }.count
        }
        #expect((3900...4100).contains(admitted(Self.report)))
        let picture: [UInt8] = [0x81, 206, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8]
        #expect((390...410).contains(admitted(picture)))
    }
}
