import Testing

@testable import GStreamerKit

@Suite("Transport-wide feedback")
struct TransportFeedbackTests {
    /// Builds the control information of a report.
    static func report(
        base: Int,
        packets: Int,
        reference: Int = 1,
        count: Int = 0,
        chunks: [Int],
        deltas: [UInt8] = []
    ) -> [UInt8] {
        DTLS.number(base, 2) + DTLS.number(packets, 2) + DTLS.number(reference, 3) + DTLS.number(count, 1)
            + chunks.flatMap { DTLS.number($0, 2) } + deltas
    }

    /// Builds a report of packets that have all arrived, a millisecond after each other.
    static func arrival(base: Int, packets: Int, reference: Int = 1, count: Int = 0) -> [UInt8] {
        let deltas = [UInt8](repeating: 4, count: packets)
        return report(
            base: base,
            packets: packets,
            reference: reference,
            count: count,
            chunks: [0x2000 | packets],
            deltas: deltas
        )
    }

    @Test("The arrival of each packet is read from all kinds of chunks")
    func chunks() throws {
        // Two packets that arrived; one-bit symbols; two-bit symbols, of which only three count.
        let chunks = [0x2002, 0b10_1000_0000_0000_11, 0b11_10_00_01_11_11_11_11]
        let deltas: [UInt8] = [4, 8, 1, 1, 1, 0xFF, 0xFC, 4]
        let report = try #require(
            TransportFeedback(
                Self.report(
                    base: 65_530,
                    packets: 19,
                    reference: 7,
                    count: 250,
                    chunks: chunks,
                    deltas: deltas
                )[...]
            )
        )
        #expect((report.base, report.count, report.reference) == (65_530, 250, 7))
        let lost = [Int64?](repeating: nil, count: 11)
        let units: [Int64?] = [4, 12, 13] + lost + [14, 15] + [11, nil, 15]
        #expect(report.arrivals == units.map { $0.map { $0 * 250_000 } })
    }

    @Test("A 36-byte report about 65,535 packets is refused, but one about the maximum number is read")
    func many() {
        let chunks = [Int](repeating: 0x1FFF, count: 8) + [7]
        #expect(TransportFeedback(Self.report(base: 0, packets: 65_535, chunks: chunks)[...]) == nil)
        let maximum = TransportFeedback.maximumPackets
        let report = TransportFeedback(Self.report(base: 0, packets: maximum, chunks: [0x1FFF, 1])[...])
        #expect(report?.arrivals == [Int64?](repeating: nil, count: maximum))
        #expect(
            TransportFeedback(Self.report(base: 0, packets: maximum + 1, chunks: [0x1FFF, 9])[...]) == nil
        )
    }

    @Test(
        "Malformed reports are refused",
        arguments: [
            [], [0, 0, 0, 1, 0, 0, 0],
            report(base: 0, packets: 0, chunks: [0x2000]),
            report(base: 0, packets: 1, chunks: []),
            report(base: 0, packets: 1, chunks: [0x2001]),
            report(base: 0, packets: 2, chunks: [0x2001], deltas: [1]),
            report(base: 0, packets: 1, chunks: [0x4001], deltas: [1]),
            report(base: 0, packets: 1, chunks: [0x6001], deltas: [1, 1, 1, 1]),
            report(base: 0, packets: 1, chunks: [0xF000], deltas: [1, 1, 1, 1]),
        ]
    )
    func malformed(_ content: [UInt8]) {
        #expect(TransportFeedback(content[...]) == nil)
    }

    @Test("A truncated report is refused at any length")
    func cuts() {
        let report = Self.arrival(base: 1, packets: 9)
        for length in report.indices { #expect(TransportFeedback(report[..<length]) == nil) }
        #expect(TransportFeedback(report[...]) != nil)
    }
}
