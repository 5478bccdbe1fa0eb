import Testing

@testable import GStreamerKit

@Suite("Filtering of H.264 before the depayloader and the parser")
struct H264UnitLimitTests {
    private static let code: [UInt8] = [0, 0, 1]

    private func unit(_ type: UInt8, _ content: [UInt8]) -> [UInt8] { Self.code + [0x60 | type] + content }

    private func passing(_ bytes: [UInt8], _ filter: inout H264UnitFilter) -> [UInt8] {
        bytes.withUnsafeBytes { filter.passing($0) } ?? bytes
    }

    /// A byte stream in whole access units.
    private var filter: H264UnitFilter { H264UnitFilter(.byteStream(isAligned: true)) }

    @Test("Ordinary slices, parameter sets and SEI messages pass, with start codes of three or four bytes")
    func usual() {
        var filter = filter
        let unit =
            [0] + unit(9, [0xF0]) + [0] + unit(7, [0x42, 0xE0, 31, 0x8D]) + unit(8, [0xCE])
            + unit(6, [5, 1, 9, 0x80])
            + [0] + unit(5, [0x88, 0, 0, 3, 1, 7]) + unit(5, [0x41])
        let other = unit.withUnsafeBytes { filter.passing($0) }
        #expect(other == nil)
    }

    @Test(
        "NAL units of scalable and multiview coding are removed",
        arguments: [13, 14, 15, 20, 21]
    )
    func extensions(type: UInt8) {
        var filter = filter
        let (before, after) = (unit(7, [0x42, 0xE0, 31, 0x8D]), unit(5, [0x88, 1]))
        let subset: [UInt8] = [0x76, 0x00, 0x1F, 0xAC, 0xBB, 0xC8]
        #expect(passing(before + unit(type, subset) + after, &filter) == before + after)
        #expect(passing(unit(type, subset), &filter).isEmpty)
    }

    @Test("The end of a sequence or a stream passes only without further content", arguments: [10, 11])
    func ends(type: UInt8) {
        var filter = filter
        let slice = unit(5, [0x88, 1])
        for content in [[], [0]] as [[UInt8]] {
            let whole = slice + unit(type, content) + slice
            #expect(passing(whole, &filter) == whole)
        }
        for content in [[1, 2, 3, 4], [0, 1], [0, 0]] as [[UInt8]] {
            #expect(passing(slice + unit(type, content) + slice, &filter) == slice + slice)
        }
        var stream = H264UnitFilter(.byteStream(isAligned: false))
        let bytes = slice + unit(type, [1, 2, 3, 4]) + slice + Self.code
        #expect(bytes.flatMap { passing([$0], &stream) } == slice + slice)
    }

    @Test("SEI messages are limited in their individual and total length")
    func messages() {
        var filter = filter
        let slice = unit(1, [0x88])
        let long = unit(6, [UInt8](repeating: 2, count: 5000))
        #expect(passing(long + slice, &filter) == slice)
        let short = unit(6, [UInt8](repeating: 2, count: 4000))
        let many = (0..<30).flatMap { _ in short }
        #expect(passing(many + slice, &filter).count == 16 * short.count + slice.count)
    }

    @Test("Parameter sets are limited in length and to 32 different IDs")
    func parameters() {
        var filter = filter
        #expect(passing(unit(7, [0x42, 0, 30, 0x80] + [UInt8](repeating: 9, count: 2000)), &filter).isEmpty)
        #expect(passing(unit(8, []), &filter).isEmpty)
        #expect(passing(unit(8, [0, 0, 0]), &filter).isEmpty)
        // The IDs 0…254 as Exp-Golomb codes of 16 bits.
        func parameters(_ id: Int) -> [UInt8] {
            let zeros = (id + 1).bitWidth - (id + 1).leadingZeroBitCount - 1
            let bits = (id + 1) << (16 - 2 * zeros - 1)
            return unit(8, [UInt8(bits >> 8), UInt8(bits & 255) | 1])
        }
        let admitted = (0..<100).filter { !passing(parameters($0), &filter).isEmpty }
        #expect(admitted == Array(0..<32))
        let again = (0..<100).filter { !passing(parameters($0), &filter).isEmpty }
        #expect(again == Array(0..<32))
    }

    @Test("An access unit has 2,000 units at most, however its stream is split into buffers")
    func count() {
        let (first, small) = (unit(5, [0x88, 1]), unit(12, [0xFF]))
        let many = first + (0..<3000).flatMap { _ in small }
        var aligned = filter
        #expect(passing(many, &aligned).count == first.count + 1999 * small.count)
        #expect(passing(first, &aligned) == first)
        var split = H264UnitFilter(.byteStream(isAligned: false))
        let passed = (0..<3000).map { _ in passing(small, &split).count }.reduce(0, +)
        #expect(passed == 2000 * small.count)
        #expect(passing(first + small, &split) == first + small)
    }

    @Test(
        "A length-prefixed NAL unit that contains a start code is removed"
    )
    func startCodes() {
        var filter = H264UnitFilter(.lengths(4))
        func unit(_ bytes: [UInt8]) -> [UInt8] { [0, 0, 0, UInt8(bytes.count)] + bytes }
        let good = unit([0x65, 0x88, 0, 0, 3, 1])
        let bad = unit([0x65, 0x88, 0, 0, 1, 0, 0, 1]) + unit([0, 0, 1, 0x67])
        #expect(passing(good + bad + good, &filter) == good + good)
    }

    @Test("Random bytes never trap")
    func anything() {
        var (filter, fragments) = (filter, H264Fragments())
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                [0, 0, 1, 0x67, 0x68, 0x80, 0xA0, 0xBF, UInt8.random(in: 0...255, using: &random)]
                    .randomElement(using: &random) ?? 0
            }
            _ = passing(bytes, &filter)
            _ = bytes.withUnsafeBytes { fragments.admits($0) }
        }
    }

    @Test("Fragments without content, and empty packets between fragments, are dropped; others pass")
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

    @Test("A byte stream yields the same NAL units regardless of where it is split")
    func cuts() {
        let (needed, other) = (unit(7, [0x42, 0xE0, 31, 0x8D]), unit(15, [0x76, 0, 0x1F]))
        let slice = unit(5, [0x88, 0, 0, 3, 1, 0])
        let stream =
            [0] + needed + [0] + unit(8, [0xCE]) + other + unit(6, [5, 1, 9, 0x80]) + slice + other
            + unit(6, [UInt8](repeating: 2, count: 5000)) + [0] + slice + unit(1, [0x88, 7, 7])
        let expected =
            needed + [0] + unit(8, [0xCE]) + unit(6, [5, 1, 9, 0x80]) + slice + slice + unit(1, [0x88, 7, 7])
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            var (filter, rest, passed) = (
                H264UnitFilter(.byteStream(isAligned: false)), stream[...], [UInt8]()
            )
            while !rest.isEmpty {
                let longest = [2, 9, 3000].randomElement(using: &random) ?? 1
                let length = min(rest.count, Int.random(in: 1...longest))
                passed += passing(Array(rest.prefix(length)), &filter)
                rest = rest.dropFirst(length)
            }
            #expect(passed == expected)
        }
    }

    @Test("Buffers of an aligned stream cannot be joined into a NAL unit that was not inspected")
    func alignedCuts() {
        let subset: [UInt8] = [0, 0, 1, 0x6F, 0x76, 0x00, 0x1F, 0xAC, 0xBB, 0xC8]
        let slice = unit(5, [0x88, 1])
        for cut in 1..<subset.count {
            var filter = filter
            var joined =
                passing(slice + Array(subset[..<cut]), &filter)
                + passing(Array(subset[cut...]) + slice, &filter)
            joined += passing(Array(subset[..<cut]), &filter) + passing(Array(subset[cut...]), &filter)
            #expect(joined.ranges(of: [0, 0, 1, 0x6F]).isEmpty, "cut at \(cut)")
            #expect(joined.ranges(of: slice).count == 2)
        }
    }

    @Test("A flush discards the incomplete NAL unit of a byte stream")
    func flush() {
        var filter = H264UnitFilter(.byteStream(isAligned: false))
        #expect(passing(unit(7, [0x42, 0xE0]), &filter).isEmpty)
        filter.reset()
        #expect(passing([31, 0x8D] + unit(5, [0x88, 1]), &filter) == unit(5, [0x88, 1]))
    }

    @Test("A NAL unit of a byte stream that exceeds the limit is truncated")
    func endless() {
        var filter = H264UnitFilter(.byteStream(isAligned: false))
        let part = [UInt8](repeating: 0xFF, count: 1 << 20)
        var passed = passing(unit(5, [0x88]), &filter).count
        for _ in 0..<40 { passed += passing(part, &filter).count }
        #expect((15 << 20...16 << 20).contains(passed))
        #expect(passing(unit(1, [0x88, 1]), &filter) == unit(1, [0x88, 1]))
    }

    @Test(
        "Length-prefixed NAL units are filtered like those of a byte stream, and incomplete ones are removed",
        arguments: [1, 2, 4]
    )
    func lengths(size: Int) {
        func unit(_ type: UInt8, _ content: [UInt8]) -> [UInt8] {
            [UInt8](repeating: 0, count: size - 1) + [UInt8(content.count + 1), 0x60 | type] + content
        }
        var filter = H264UnitFilter(.lengths(size))
        let (set, slice) = (unit(7, [0x42, 0xE0, 31, 0x8D]), unit(5, [0x88, 1]))
        #expect(passing(set + slice, &filter) == set + slice)
        #expect(passing(set + unit(15, [0x76, 0, 0x1F]) + slice + unit(20, [1]), &filter) == set + slice)
        #expect(passing(slice + slice.dropLast(), &filter) == slice)
        #expect(passing([], &filter).isEmpty)
    }

    @Test("A format is refused if its parameter sets are refused or missing")
    func formats() throws {
        let head = "video/x-h264,stream-format=avc,alignment=au"
        let set = "67 42 e0 1f 8d"
        func admits(_ configuration: String) throws -> Bool {
            let hex = configuration.filter { $0 != " " }
            return try H264UnitFilter(Caps("\(head),codec_data=(buffer)\(hex)")) != nil
        }
        #expect(try admits("01 42 e0 1f ff e1 0005 \(set) 01 0002 68 ce"))
        #expect(try !admits("01 42 e0 1f ff e1 0005 6f 42 e0 1f 8d 01 0002 68 ce"))
        #expect(try !admits("01 42 e0 1f ff e1 0005 \(set) 02 0002 68 ce"))
        #expect(try !admits("01 42 e0 1f ff e1 0009 \(set)"))
        #expect(try !admits("01 42"))
        #expect(try H264UnitFilter(Caps(head)) == nil)
        #expect(try H264UnitFilter(Caps("video/x-h264,stream-format=byte-stream,alignment=nal")) != nil)
        #expect(try H264UnitFilter(Caps("video/x-h264")) != nil)
        let both = "video/x-h264,stream-format=byte-stream,codec_data=(buffer)0142e01fffe10000"
        #expect(try H264UnitFilter(Caps(both)) == nil)
    }
}
