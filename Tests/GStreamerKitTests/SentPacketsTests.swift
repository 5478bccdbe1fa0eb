import Testing

@testable import GStreamerKit

@Suite("Packets that the peer reports about")
struct SentPacketsTests {
    /// Packets that were sent a millisecond after each other, and are 100, 101, … bytes long.
    private final class Sender {
        private var packets = SentPackets()

        init(_ count: Int) {
            for index in 0..<count {
                #expect(
                    send(100 + index % 1000, at: UInt64(index) * 1_000_000)
                        == UInt16(truncatingIfNeeded: index)
                )
            }
        }

        func send(_ size: Int, at time: UInt64) -> UInt16 { packets.add(size: size, at: time) }

        func outcome(of base: Int, _ count: Int = 1, reference: Int = 1, number: Int = 0) throws
            -> [TransportPacket]
        {
            let content = TransportFeedbackTests.arrival(
                base: base,
                packets: count,
                reference: reference,
                count: number
            )
            return packets.outcome(of: try #require(TransportFeedback(content[...])))
        }
    }

    @Test("A report returns the size, sending time and arrival time of each packet once")
    func each() throws {
        let sender = Sender(5)
        let outcome = try sender.outcome(of: 1, 2)
        #expect(outcome.map(\.sequence) == [1, 2])
        #expect(outcome.map(\.size) == [101, 102])
        #expect(outcome.map(\.sent) == [1_000_000, 2_000_000])
        let arrivals = outcome.compactMap(\.arrived)
        #expect(arrivals.count == 2 && arrivals[1] == arrivals[0] + 1_000_000)
        #expect(try sender.outcome(of: 0, 3).isEmpty)
        #expect(try sender.outcome(of: 2, 2, number: 1).map(\.sequence) == [3])
    }

    @Test("Packets missing between consecutive reports count as lost; those between other reports do not")
    func gaps() throws {
        let sender = Sender(20)
        #expect(try sender.outcome(of: 3, number: 255).count == 1)
        let next = try sender.outcome(of: 6)
        #expect(next.map(\.sequence) == [4, 5, 6])
        #expect(next.map { $0.arrived == nil } == [true, true, false])
        #expect(try sender.outcome(of: 9, number: 2).map(\.sequence) == [9])
        // A report that was overtaken.
        #expect(try sender.outcome(of: 8, number: 1).isEmpty)
        #expect(try sender.outcome(of: 11, number: 3).map(\.sequence) == [10, 11])
    }

    @Test("Reports about packets that were not sent, or are no longer stored, are ignored")
    func unknown() throws {
        #expect(try Sender(0).outcome(of: 0).isEmpty)
        let sender = Sender(SentPackets.capacity + 10)
        for base in [SentPackets.capacity + 10, SentPackets.capacity + 9, 9, 40_000, 65_535] {
            let count = base == SentPackets.capacity + 9 ? 2 : 1
            #expect(try sender.outcome(of: base, count).isEmpty, "\(base)")
        }
        #expect(try sender.outcome(of: 5, 7).map(\.sequence) == [10, 11])
    }

    @Test("Sequence numbers and reference times wrap around, but arrival times do not")
    func wraps() throws {
        let sender = Sender(65_536 + 20)
        let first = try sender.outcome(of: 65_530, 8, reference: 0xFFFFFF)
        #expect(first.map(\.sequence) == [65_530, 65_531, 65_532, 65_533, 65_534, 65_535, 0, 1])
        let second = try sender.outcome(of: 2, 2, reference: 0, number: 1)
        #expect(second.map(\.size) == [100 + 65_538 % 1000, 100 + 65_539 % 1000])
        let (before, after) = (try #require(first.first?.arrived), try #require(second.first?.arrived))
        #expect(after == before + 64_000_000)
    }

    @Test("Reference times that a hostile peer keeps increasing do not overflow")
    func references() throws {
        let sender = Sender(0)
        var answers = 0
        for round in 0..<40_000 {
            let number = Int(sender.send(1, at: UInt64(round)))
            let reference = round * 0x7FFFFF % 0x1000000
            answers += try sender.outcome(of: number, reference: reference, number: round % 256).count
        }
        #expect(answers == 40_000)
    }
}
