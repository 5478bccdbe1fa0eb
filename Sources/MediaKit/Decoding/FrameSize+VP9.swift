internal import Basics

extension FrameSize {
    private static let syncCode = 0x49_83_42
    private static let rgb = 7

    /// Parses the uncompressed header (VP9 Bitstream & Decoding Process Specification, 6.2).
    static func vp9(_ frame: some Collection<UInt8>) -> FrameSize {
        // The resolution is always within the first 64 bytes of the header.
        var reader = BitReader(frame.prefix(64))
        return vp9(&reader) ?? .unreadable
    }

    /// Returns whether a frame has profile 0: 8 bits and 4:2:0.
    static func isCommonVP9(_ frame: some Collection<UInt8>) -> Bool {
        var reader = BitReader(frame.prefix(1))
        return profile(&reader) == 0
    }

    private static func profile(_ reader: inout BitReader) -> Int? {
        guard reader.bits(2) == 2, let low = reader.bit(), let high = reader.bit() else { return nil }
        return high << 1 | low
    }

    private static func vp9(_ reader: inout BitReader) -> FrameSize? {
        guard let profile = profile(&reader) else { return nil }
        if profile == 3, reader.bit() != 0 { return nil }
        guard let showsExisting = reader.flag() else { return nil }
        if showsExisting { return .unchanged }
        guard let isDependent = reader.flag(), let isShown = reader.flag(), let isResilient = reader.flag()
        else { return nil }
        guard isDependent else {
            guard reader.bits(24) == syncCode, skipColors(&reader, profile) != nil else { return nil }
            return size(&reader).map(keyframe)
        }
        var isIntraOnly = false
        if !isShown {
            guard let flag = reader.flag() else { return nil }
            isIntraOnly = flag
        }
        if !isResilient { guard reader.skip(2) != nil else { return nil } }
        guard isIntraOnly else { return referringSize(&reader) }
        guard reader.bits(24) == syncCode else { return nil }
        if profile > 0 { guard skipColors(&reader, profile) != nil else { return nil } }
        guard reader.skip(8) != nil else { return nil }
        return size(&reader).map(changed)
    }

    /// Skips `color_config()`.
    private static func skipColors(_ reader: inout BitReader, _ profile: Int) -> Void? {
        if profile >= 2 { guard reader.skip(1) != nil else { return nil } }
        guard let space = reader.bits(3) else { return nil }
        let hasSubsampling = profile & 1 == 1
        guard space == rgb else { return reader.skip(hasSubsampling ? 4 : 1) }
        return hasSubsampling ? reader.skip(1) : nil
    }

    /// Reads `frame_size_with_refs()`, after skipping the fields that select the reference frames.
    private static func referringSize(_ reader: inout BitReader) -> FrameSize? {
        guard reader.skip(8 + 3 * 4) != nil else { return nil }
        for _ in 0..<3 {
            guard let isThatOfReference = reader.flag() else { return nil }
            if isThatOfReference { return .unchanged }
        }
        return size(&reader).map(changed)
    }

    private static func size(_ reader: inout BitReader) -> Resolution? {
        guard let width = reader.bits(16), let height = reader.bits(16) else { return nil }
        return Resolution(width: width + 1, height: height + 1)
    }
}

/// The frames in a VP9 buffer (annex B); a buffer with several frames ends with an index of their sizes.
struct VP9Superframe {
    /// The byte ranges of the frames in decoding order.
    let frames: [Range<Int>]
    /// Whether an index states the size of each frame; without an index, a decoder also decodes the bytes
    /// after the first frame.
    let hasIndex: Bool

    /// Finds the frames of a buffer; nil if the buffer is empty or its index is invalid.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let marker = bytes.last else { return nil }
        guard marker & 0xE0 == 0xC0 else {
            (frames, hasIndex) = ([0..<bytes.count], false)
            return
        }
        let (count, width) = (Int(marker & 7) + 1, Int(marker >> 3 & 3) + 1)
        let length = 2 + count * width
        guard bytes.count >= length, bytes[bytes.count - length] == marker else { return nil }
        var (frames, start): ([Range<Int>], Int) = ([], 0)
        for number in 0..<count {
            let place = bytes.count - length + 1 + number * width
            let size = (0..<width).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
            guard size > 0, start + size <= bytes.count - length else { return nil }
            frames.append(start..<start + size)
            start += size
        }
        (self.frames, hasIndex) = (frames, true)
    }

    /// Returns an index for one frame of `size` bytes.
    static func index(of size: Int) -> [UInt8] {
        let marker: UInt8 = 0xC0 | 3 << 3
        return [marker] + (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) } + [marker]
    }
}
