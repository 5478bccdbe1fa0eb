import Testing

@testable import GStreamerKit

@Suite("The framing of Opus packets")
struct OpusPacketTests {
    /// The first bytes for frames of 20 and of 60 ms, without the number of frames.
    private static let (short, long): (UInt8, UInt8) = (0b1111_1000, 0b0001_1000)

    private func isValid(_ packet: [UInt8]) -> Bool { packet.withUnsafeBytes { OpusPacket.isValid($0) } }

    private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 9, count: count) }

    @Test("A packet with one frame may have 0 to 1,275 bytes of data")
    func one() {
        #expect(!isValid([]))
        #expect(isValid([Self.short]))
        #expect(isValid([Self.short] + bytes(1275)))
        #expect(!isValid([Self.short] + bytes(1276)))
    }

    @Test("Two frames have equal lengths, or the first one is preceded by its length")
    func two() {
        #expect(isValid([Self.short | 1] + bytes(20)))
        #expect(!isValid([Self.short | 1] + bytes(21)))
        #expect(!isValid([Self.short | 1] + bytes(2 * 1276)))
        #expect(isValid([Self.short | 2, 3] + bytes(10)))
        #expect(isValid([Self.short | 2, 3] + bytes(3)))
        #expect(!isValid([Self.short | 2, 3] + bytes(2)))
        #expect(!isValid([Self.short | 2]))
        #expect(!isValid([Self.short | 2, 252]))
        #expect(isValid([Self.short | 2, 253, 1] + bytes(257)))
        #expect(!isValid([Self.short | 2, 0] + bytes(1276)))
    }

    @Test("A packet contains at least one frame and lasts at most 120 ms")
    func duration() {
        #expect(isValid([Self.short | 3, 6] + bytes(12)))
        #expect(!isValid([Self.short | 3, 7] + bytes(14)))
        #expect(!isValid([Self.short | 3, 0]))
        #expect(!isValid([Self.short | 3]))
        #expect(isValid([Self.long | 3, 2] + bytes(4)))
        #expect(!isValid([Self.long | 3, 3] + bytes(6)))
    }

    @Test("Multiple frames have one common length or individual lengths, and may be followed by padding")
    func many() {
        #expect(!isValid([Self.short | 3, 3] + bytes(10)))
        #expect(isValid([Self.short | 3, 0x80 | 3, 1, 2] + bytes(10)))
        #expect(isValid([Self.short | 3, 0x80 | 3, 4, 6] + bytes(10)))
        #expect(!isValid([Self.short | 3, 0x80 | 3, 4, 7] + bytes(10)))
        #expect(!isValid([Self.short | 3, 0x80 | 3, 4]))
        #expect(isValid([Self.short | 3, 0x40 | 2, 3] + bytes(4 + 3)))
        #expect(!isValid([Self.short | 3, 0x40 | 2, 4] + bytes(3)))
        #expect(!isValid([Self.short | 3, 0x40 | 2, 255]))
        #expect(isValid([Self.short | 3, 0x40 | 2, 255, 2] + bytes(256 + 2)))
        #expect(!isValid([Self.short | 3, 0x40 | 2, 255, 2] + bytes(255)))
    }
}
