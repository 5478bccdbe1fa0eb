import Testing

@testable import GStreamerKit

@Suite("Limit for missing packets")
struct MissingPacketsTests {
    private static let second: UInt64 = 1_000_000_000

    @Test("Packets in order, late packets and repeated packets are admitted, even across a wraparound")
    func usual() {
        var packets = MissingPackets()
        for number in [65_530, 65_531, 65_530, 65_535, 0, 65_533, 1, 1, 63_000] as [UInt16] {
            let isAdmitted = packets.admits(number, at: 0)
            #expect(isAdmitted, "\(number)")
        }
    }

    @Test("A packet whose number jumps too far forward or back is dropped, and packets in order still pass")
    func jumps() {
        var packets = MissingPackets()
        let admitted = [10, 1012, 11, 31_000, 12, 40_000, 1011, 1012].map { packets.admits($0, at: 0) }
        #expect(admitted == [true, false, true, false, true, false, true, true])
    }

    @Test("The gaps of several jumps are added up")
    func sum() {
        var packets = MissingPackets()
        let admitted = [0, 601, 1202, 1002].map { packets.admits($0, at: 0) }
        #expect(admitted == [true, true, false, true])
    }

    @Test("A sender that continues at another sequence number is admitted again within seconds")
    func restart() {
        var packets = MissingPackets()
        _ = packets.admits(0, at: 0)
        let times = (0..<70).map { UInt64($0) * Self.second / 10 }
        let admitted = zip(times, 0...).map { time, number in
            packets.admits(30_000 + UInt16(number), at: time)
        }
        let first = admitted.firstIndex(of: true)
        #expect(first == 59)
        #expect(!admitted[59...].contains(false))
    }
}
