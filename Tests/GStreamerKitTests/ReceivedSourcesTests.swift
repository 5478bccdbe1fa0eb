import Testing

@testable import GStreamerKit

@Suite("Limit for the number of received SSRCs")
struct ReceivedSourcesTests {
    @Test("The number of SSRCs is bounded, and a new SSRC replaces one that has long been silent")
    func bounded() {
        var sources = ReceivedSources()
        let maximum = UInt32(ReceivedSources.maximum)
        let first = (1...maximum).map { sources.admits($0, at: UInt64($0)) }
        #expect(!first.contains(false))
        let later: [(UInt32, UInt64, Bool)] = [
            (1000, 100, false), (1, 100, true),
            // The second source has been silent for the longest time.
            (1000, 1 + ReceivedSources.timeout, false), (1000, 2 + ReceivedSources.timeout, true),
            (1, 3 + ReceivedSources.timeout, true),
            // Source 2 replaces source 3, which has now been silent for the longest time.
            (2, 3 + ReceivedSources.timeout, true), (3, 3 + ReceivedSources.timeout, false),
        ]
        for (ssrc, time, expected) in later {
            let isAdmitted = sources.admits(ssrc, at: time)
            #expect(isAdmitted == expected, "\(ssrc) at \(time)")
        }
    }

    @Test("A peer may use at most 256 SSRCs in total")
    func inAll() {
        var sources = ReceivedSources()
        let admitted = (UInt32(1)...1000).filter {
            sources.admits($0, at: UInt64($0) * ReceivedSources.timeout)
        }
        #expect(admitted == Array(1...UInt32(ReceivedSources.maximumInAll)))
    }

    @Test(
        "Packets that could be either RTP or RTCP are dropped",
        arguments: [64, 80, 95, 192, 202, 203, 207, 209, 223]
    )
    func ambiguous(type: UInt8) {
        let packet: [UInt8] = [0x80, type, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4]
        #expect(!packet.withUnsafeBytes { SRTPHeader.allSources(of: $0) { _ in true } })
    }

    private static let packets: [([UInt8], [UInt32])] = [
        ([0x80, 96, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4], [0x0102_0304]),
        ([0x80, 96, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4, 9, 9, 9, 9], [0x0102_0304]),
        ([0x82, 96, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4, 0, 0, 0, 5, 0, 0, 0, 6, 9, 9, 9, 9], [0x0102_0304, 5, 6]),
        ([0x8F, 96, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4, 0, 0, 0, 5, 0, 0], [0x0102_0304, 5]),
        ([0x80, 200, 0, 1, 1, 2, 3, 4, 9, 9, 9, 9], [0x0102_0304]),
        ([0x81, 201, 0, 1, 1, 2, 3, 4, 9, 9, 9, 9], [0x0102_0304]),
        ([0x80, 201, 0, 1, 1, 2, 3, 4], [0x0102_0304]),
        ([0x80, 96, 0, 1, 0, 0, 0, 2, 1, 2, 3], []),
        ([22, 254, 253, 0, 0, 0, 0, 0, 0, 0, 0, 0], []),
        ([0, 1, 0, 0, 0x21, 0x12, 0xA4, 0x42, 0, 0, 0, 0], []),
        ([0x80, 96], []),
        ([], []),
    ]

    @Test("SSRCs are read from SRTP and SRTCP packets, and from no others", arguments: packets)
    func header(_ bytes: [UInt8], _ sources: [UInt32]) {
        var found: [UInt32] = []
        let areAll = bytes.withUnsafeBytes { bytes in
            SRTPHeader.allSources(of: bytes) { source in
                found.append(source)
                return true
            }
        }
        #expect(areAll && found == sources)
    }

    @Test("A packet is refused if its SSRC or one of its CSRCs is refused")
    func refused() {
        let packet: [UInt8] = [0x81, 96, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4, 0, 0, 0, 5]
        #expect(!packet.withUnsafeBytes { SRTPHeader.allSources(of: $0) { $0 != 5 } })
    }
}
