internal import Basics

/// The sequence header of MPEG-1 and MPEG-2 video (ITU-T H.262, 6.2.2.1 and 6.2.2.3).
enum MPEG2SequenceHeader {
    /// The zeros to append to a header, whose own trailing zeros `H264Units.ranges(in:)` removes.
    private static let trailing = [UInt8](repeating: 0, count: 8)

    /// Returns the resolution of each header in the bytes; nil for an extension that enlarges an unknown resolution.
    static func sizes(in bytes: UnsafeRawBufferPointer) -> [Resolution?] {
        var sizes: [Resolution?] = []
        for unit in H264Units.ranges(in: bytes) {
            let content = bytes[unit]
            var reader = BitReader(content.dropFirst().prefix(8) + trailing)
            switch content.first {
            case 0xB3:
                guard let width = reader.bits(12), let height = reader.bits(12) else { continue }
                sizes.append(Resolution(width: width, height: height))
            case 0xB5 where reader.bits(4) == 1:
                // The extension holds the two highest bits of each side.
                guard reader.skip(11) != nil, let width = reader.bits(2), let height = reader.bits(2)
                else { continue }
                guard let last = sizes.last ?? nil else {
                    if width | height != 0 { sizes.append(nil) }
                    continue
                }
                sizes.append(
                    Resolution(
                        width: width << 12 | last.width & 0xFFF,
                        height: height << 12 | last.height & 0xFFF
                    )
                )
            default: break
            }
        }
        return sizes
    }
}

/// The header of a video object layer of MPEG-4 part 2 (ISO/IEC 14496-2, 6.2.3).
enum MPEG4LayerHeader {
    /// Returns the resolution of each header in the bytes; nil for one that cannot be read, or whose shape is not
    /// rectangular.
    static func sizes(in bytes: UnsafeRawBufferPointer) -> [Resolution?] {
        H264Units.ranges(in: bytes).compactMap { unit in
            let content = bytes[unit]
            guard let code = content.first, (0x20...0x2F).contains(code) else { return nil }
            // `H264Units.ranges(in:)` removes trailing zeros, which may belong to the header.
            return .some(size(content.dropFirst().prefix(64) + [0, 0, 0, 0]))
        }
    }

    private static func size(_ header: some Sequence<UInt8>) -> Resolution? {
        var reader = BitReader(header)
        guard reader.skip(9) != nil, let hasIdentifier = reader.flag(),
            !hasIdentifier || reader.skip(7) != nil,
            let aspect = reader.bits(4), aspect != 15 || reader.skip(16) != nil,
            let hasControl = reader.flag(), !hasControl || skipControl(&reader) != nil,
            let shape = reader.bits(2), shape == 0, reader.skip(1) != nil,
            let resolution = reader.bits(16), reader.skip(1) != nil,
            let isFixed = reader.flag(), !isFixed || reader.skip(bits(for: resolution)) != nil,
            reader.skip(1) != nil, let width = reader.bits(13), reader.skip(1) != nil,
            let height = reader.bits(13)
        else { return nil }
        return Resolution(width: width, height: height)
    }

    /// Returns the number of bits that encode a time increment at `resolution` ticks per second.
    private static func bits(for resolution: Int) -> Int {
        max(1, Int.bitWidth - max(0, resolution - 1).leadingZeroBitCount)
    }

    private static func skipControl(_ reader: inout BitReader) -> Void? {
        guard reader.skip(3) != nil, let hasBuffer = reader.flag() else { return nil }
        return hasBuffer ? reader.skip(79) : ()
    }
}
