import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Opus silence")
struct OpusSilenceTests {
    @Test(
        "A silent packet has the requested duration",
        arguments: [
            2_500, 5_000, 10_000, 20_000, 40_000, 60_000, 80_000, 100_000, 120_000,
        ]
    )
    func lasting(_ microseconds: Int) {
        let packet = OpusSilence.packet(lasting: microseconds)
        #expect(OpusSilence.duration(of: packet) == microseconds)
    }

    @Test(
        "A requested duration that Opus does not support is replaced by a supported one",
        arguments: [(-1, 2_500), (0, 2_500), (30_000, 20_000), (Int.max, 120_000)]
    )
    func clamped(_ asked: Int, _ given: Int) {
        #expect(OpusSilence.duration(of: OpusSilence.packet(lasting: asked)) == given)
    }

    @Test(
        "The duration of an Opus packet is read from its first bytes",
        arguments: [
            ([0x00, 1], 10_000), ([0x08, 1], 20_000), ([0x10, 1], 40_000), ([0x18, 1], 60_000),
            ([0x60, 1], 10_000),
            ([0x78, 1], 20_000), ([0xFC, 1], 20_000), ([0xFD, 1, 1], 40_000), ([0xFE, 1, 1, 1], 40_000),
            ([0xFF, 0x43], 60_000),
        ]
    )
    func read(_ packet: [UInt8], _ microseconds: Int) {
        #expect(OpusSilence.duration(of: packet) == microseconds)
    }

    @Test(
        "An invalid Opus packet has no duration",
        arguments: [[], [0xFF], [0xFF, 0], [0xFF, 0x3F], [0x1B, 0x03 | 0x3C]]
    )
    func none(_ packet: [UInt8]) { #expect(OpusSilence.duration(of: packet) == nil) }
}
