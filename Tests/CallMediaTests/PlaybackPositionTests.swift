import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Gaps between the samples for an audio sink")
struct PlaybackPositionTests {
    private static let packet: UInt64 = 20_000_000

    @Test("Contiguous samples leave no gap")
    func contiguous() {
        var position = PlaybackPosition()
        for number in 0..<10 {
            #expect(position.gap(before: UInt64(number) * Self.packet, lasting: Self.packet) == 0)
        }
    }

    @Test("Deviations below the threshold are ignored until their sum reaches the threshold")
    func small() {
        var position = PlaybackPosition()
        let gaps = (0..<5).map { number in
            position.gap(before: UInt64(number) * (Self.packet + 700_000), lasting: Self.packet)
        }
        #expect(gaps == [0, 0, 0, 2_100_000, 0])
    }

    @Test("A sample that overlaps the previous sample has a negative gap")
    func overlap() {
        var position = PlaybackPosition()
        #expect(position.gap(before: 1_000_000_000, lasting: Self.packet) == 0)
        #expect(position.gap(before: 1_010_000_000, lasting: Self.packet) == -10_000_000)
        #expect(position.gap(before: 1_030_000_000, lasting: Self.packet) == 0)
    }

    @Test("Absurd timestamps do not trap")
    func absurd() {
        var position = PlaybackPosition()
        _ = position.gap(before: .max, lasting: .max)
        _ = position.gap(before: 0, lasting: Self.packet)
        _ = position.gap(before: .max / 2 + 1, lasting: Self.packet)
    }
}
