import Testing

@testable import GStreamerKit

@Suite("H.264 that depayloader and parser may see")
struct H264UnitLimitTests {
    private static let code: [UInt8] = [0, 0, 1]

    private func unit(_ type: UInt8, _ content: [UInt8]) -> [UInt8] { Self.code + [0x60 | type] + content }

    private func passing(_ bytes: [UInt8], _ limit: inout H264UnitLimit) -> [UInt8] {
        let parts = bytes.withUnsafeBytes { limit.passing($0) }
        return parts.map { $0.flatMap { Array(bytes[$0]) } } ?? bytes
    }

    @Test("Slices, usual parameters and messages pass, with start codes of three and four bytes")
    func usual() {
        var limit = H264UnitLimit()
        let unit =
            [0] + unit(9, [0xF0]) + [0] + unit(7, [0x42, 0xE0, 31, 0x8D]) + unit(8, [0xCE])
            + unit(6, [5, 1, 9, 0x80])
            + [0] + unit(5, [0x88, 0, 0, 3, 1, 7]) + unit(5, [0x41])
        let parts = unit.withUnsafeBytes { limit.passing($0) }
        #expect(parts == nil)
    }

    @Test(
        "Units of scalable and multiview coding are removed, also the one that ends the process",
        arguments: [13, 14, 15, 20, 21]
    )
    func extensions(type: UInt8) {
        var limit = H264UnitLimit()
        let (before, after) = (unit(7, [0x42, 0xE0, 31, 0x8D]), unit(5, [0x88, 1]))
        let subset: [UInt8] = [0x76, 0x00, 0x1F, 0xAC, 0xBB, 0xC8]
        #expect(passing(before + unit(type, subset) + after, &limit) == before + after)
        #expect(passing(unit(type, subset), &limit).isEmpty)
    }

    @Test("Messages are limited each and together")
    func messages() {
        var limit = H264UnitLimit()
        let slice = unit(1, [0x88])
        let long = unit(6, [UInt8](repeating: 2, count: 5000))
        #expect(passing(long + slice, &limit) == slice)
        let short = unit(6, [UInt8](repeating: 2, count: 4000))
        let many = (0..<30).flatMap { _ in short }
        #expect(passing(many + slice, &limit).count == 16 * short.count + slice.count)
    }

    @Test("Parameters are limited in length, and by their IDs in number")
    func parameters() {
        var limit = H264UnitLimit()
        #expect(passing(unit(7, [0x42, 0, 30, 0x80] + [UInt8](repeating: 9, count: 2000)), &limit).isEmpty)
        #expect(passing(unit(8, []), &limit).isEmpty)
        #expect(passing(unit(8, [0, 0, 0]), &limit).isEmpty)
        // The IDs 0…254 as Exp-Golomb codes of 16 bits.
        func parameters(_ id: Int) -> [UInt8] {
            let zeros = (id + 1).bitWidth - (id + 1).leadingZeroBitCount - 1
            let bits = (id + 1) << (16 - 2 * zeros - 1)
            return unit(8, [UInt8(bits >> 8), UInt8(bits & 255) | 1])
        }
        let admitted = (0..<100).filter { !passing(parameters($0), &limit).isEmpty }
        #expect(admitted == Array(0..<32))
        let again = (0..<100).filter { !passing(parameters($0), &limit).isEmpty }
        #expect(again == Array(0..<32))
    }

    @Test("Any bytes are taken without a trap")
    func anything() {
        var (limit, fragments) = (H264UnitLimit(), H264Fragments())
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                [0, 0, 1, 0x67, 0x68, 0x80, 0xA0, 0xBF, UInt8.random(in: 0...255, using: &random)]
                    .randomElement(using: &random) ?? 0
            }
            _ = passing(bytes, &limit)
            _ = bytes.withUnsafeBytes { fragments.admits($0) }
        }
    }

    @Test("Fragments without content are dropped, and empty packets between fragments; others pass")
    func fragments() {
        let header: [UInt8] = [0x80, 96, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4]
        let padded: [UInt8] = [0xA0] + header.dropFirst()
        let packets: [([UInt8], Bool)] = [
            (header, true), (header + [0x7C, 0x85, 1], true), (padded + [0, 0, 3], false),
            (padded + [0x7C, 0, 2], false), (header + [0x7C], false), (header + [0x7C, 0x05, 1], true),
            (header + [0x7C, 0x45, 1], true), (padded + [0, 0, 3], true), (header + [0x7C, 0xC5], false),
            (header + [0x41, 1], true), ([], false), (Array(header.dropLast()), true),
        ]
        var fragments = H264Fragments()
        for (index, (packet, expected)) in packets.enumerated() {
            let isAdmitted = packet.withUnsafeBytes { fragments.admits($0) }
            #expect(isAdmitted == expected, "packet \(index)")
        }
    }
}
