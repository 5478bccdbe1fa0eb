/// A writer of bit fields with the most significant bit first, as in video headers.
struct BitWriter {
    private var bits: [UInt8] = []

    /// The bits, padded with zeros to whole bytes.
    var bytes: [UInt8] {
        stride(from: 0, to: bits.count, by: 8).map { start in
            (0..<8).reduce(0) { $0 << 1 | (start + $1 < bits.count ? bits[start + $1] : 0) }
        }
    }

    mutating func put(_ value: Int, _ count: Int) {
        for place in (0..<count).reversed() { bits.append(UInt8(value >> place & 1)) }
    }

    /// Writes an unsigned Exp-Golomb code (ITU-T H.264, 9.1).
    mutating func exponential(_ value: Int) {
        let length = Int.bitWidth - (value + 1).leadingZeroBitCount
        put(0, length - 1)
        put(value + 1, length)
    }
}

/// Creates H.264 NAL units with start codes.
enum H264Maker {
    /// Creates a sequence parameter set (SPS); `width` and `height` are in macroblocks.
    ///
    /// `format` is the chroma format (1 for 4:2:0), and the bits of luma and of chroma beyond eight, for profile 100.
    static func sequence(
        _ id: Int,
        _ width: Int,
        _ height: Int,
        profile: Int = 66,
        format: [Int] = [1, 0, 0]
    ) -> [UInt8] {
        var bits = BitWriter()
        bits.put(profile, 8)
        bits.put(0xC028, 16)
        bits.exponential(id)
        if profile == 100 {
            bits.exponential(format[0])
            if format[0] == 3 { bits.put(0, 1) }
            for value in format[1...] { bits.exponential(value) }
            bits.put(0, 2)
        }
        for value in [0, 2, 1] { bits.exponential(value) }
        bits.put(0, 1)
        bits.exponential(width - 1)
        bits.exponential(height - 1)
        // The flags for progressive, direct 8×8 inference and cropping; the crop is to 16×16 pixels.
        bits.put(0b111, 3)
        for value in [0, (width - 1) * 8, 0, (height - 1) * 8] { bits.exponential(value) }
        bits.put(0b01, 2)
        return unit(0x67, bits.bytes)
    }

    static func picture(_ id: Int, of sequence: Int) -> [UInt8] {
        var bits = BitWriter()
        bits.exponential(id)
        bits.exponential(sequence)
        bits.put(0b001, 3)
        return unit(0x68, bits.bytes)
    }

    static func slice(of picture: Int, isKeyframe: Bool = true) -> [UInt8] {
        var bits = BitWriter()
        for value in [0, 7, picture] { bits.exponential(value) }
        bits.put(0x5555, 16)
        return unit(isKeyframe ? 0x65 : 0x61, bits.bytes)
    }

    /// Adds start code, header and emulation prevention (ITU-T H.264, 7.4.1).
    private static func unit(_ header: UInt8, _ payload: [UInt8]) -> [UInt8] {
        var (bytes, zeros): ([UInt8], Int) = ([0, 0, 0, 1, header], 0)
        for byte in payload {
            if zeros >= 2, byte <= 3 {
                bytes.append(3)
                zeros = 0
            }
            zeros = byte == 0 ? zeros + 1 : 0
            bytes.append(byte)
        }
        return bytes
    }
}

/// Creates uncompressed VP9 headers.
enum VP9Maker {
    static func keyframe(_ width: Int, _ height: Int, profile: Int = 0) -> [UInt8] {
        var bits = beginning(profile: profile, isDependent: false, isShown: true)
        bits.put(0x49_83_42, 24)
        colors(profile, &bits)
        size(width, height, &bits)
        return bits.bytes
    }

    static func intraOnly(_ width: Int, _ height: Int, profile: Int = 0) -> [UInt8] {
        var bits = beginning(profile: profile, isDependent: true, isShown: false)
        bits.put(0b100, 3)
        bits.put(0x49_83_42, 24)
        if profile > 0 { colors(profile, &bits) }
        bits.put(0xFF, 8)
        size(width, height, &bits)
        return bits.bytes
    }

    /// Creates an inter frame with the size of its reference 0…2 or, if that is nil, with its own size.
    static func dependent(on reference: Int? = nil, _ width: Int = 0, _ height: Int = 0) -> [UInt8] {
        var bits = beginning(profile: 0, isDependent: true, isShown: true)
        bits.put(0, 2)
        bits.put(0, 8 + 12)
        if let reference {
            bits.put(1, reference + 1)
        } else {
            bits.put(0, 3)
            size(width, height, &bits)
        }
        return bits.bytes
    }

    static let repetition: [UInt8] = [0b1000_1000]

    /// Creates a superframe: frames followed by an index.
    static func superframe(_ frames: [[UInt8]]) -> [UInt8] {
        let marker = UInt8(0xC0 | 1 << 3 | (frames.count - 1))
        let sizes = frames.flatMap {
            [UInt8(truncatingIfNeeded: $0.count), UInt8(truncatingIfNeeded: $0.count >> 8)]
        }
        return frames.flatMap { $0 } + [marker] + sizes + [marker]
    }

    private static func beginning(profile: Int, isDependent: Bool, isShown: Bool) -> BitWriter {
        var bits = BitWriter()
        bits.put(2, 2)
        bits.put(profile & 1, 1)
        bits.put(profile >> 1, 1)
        if profile == 3 { bits.put(0, 1) }
        bits.put(0, 1)
        bits.put(isDependent ? 1 : 0, 1)
        bits.put(isShown ? 1 : 0, 1)
        bits.put(0, 1)
        return bits
    }

    private static func colors(_ profile: Int, _ bits: inout BitWriter) {
        if profile >= 2 { bits.put(0, 1) }
        bits.put(1, 3)
        bits.put(0, profile & 1 == 1 ? 4 : 1)
    }

    private static func size(_ width: Int, _ height: Int, _ bits: inout BitWriter) {
        bits.put(width - 1, 16)
        bits.put(height - 1, 16)
        bits.put(0xAAAA, 16)
    }
}
