internal import Basics

/// An H.264 sequence parameter set, read up to the frame size (ITU-T H.264, 7.3.2.1.1).
///
/// Values outside the specification are rejected, because decoders interpret them differently.
struct H264SequenceParameters: Hashable {
    /// The `seq_parameter_set_id`, 0…31.
    let id: Int
    /// The decoded size, before cropping.
    let size: Resolution
    /// Whether the samples have 8 bits, and one or three color components with 4:2:0 subsampling.
    let isCommonFormat: Bool

    private static let plainProfiles: Set<Int> = [66, 77, 88]
    /// The profiles for which all decoders expect `chroma_format_idc` in the parameter set.
    private static let highProfiles: Set<Int> = [44, 83, 86, 100, 110, 118, 122, 128, 138, 244]

    /// Parses a NAL unit of which at most `maximum` bytes are read; nil if it is invalid, or ambiguous.
    ///
    /// If libav cannot parse a unit without its emulation prevention bytes, it parses the unit with them, so both
    /// results must be equal. Encoders write such bytes only after the frame size.
    init?(_ unit: Slice<UnsafeRawBufferPointer>, maximum: Int) {
        self.init(H264Units.payload(of: unit, maximum: maximum))
        guard self == Self(Array(unit.dropFirst().prefix(maximum))) else { return nil }
    }

    /// Parses the bytes after the NAL unit header, with emulation prevention bytes removed; nil if they are
    /// invalid.
    init?(_ payload: [UInt8]) {
        var reader = BitReader(payload)
        guard let profile = reader.bits(8), reader.skip(16) != nil, let id = reader.exponential(0...31)
        else { return nil }
        let isHigh = Self.highProfiles.contains(profile)
        guard isHigh || Self.plainProfiles.contains(profile) else { return nil }
        var isCommonFormat = true
        if isHigh {
            guard let isCommon = Self.readFormat(&reader) else { return nil }
            isCommonFormat = isCommon
        }
        guard Self.skipOrder(&reader) != nil, let size = Self.size(&reader) else { return nil }
        (self.id, self.size, self.isCommonFormat) = (id, size, isCommonFormat)
    }

    /// Reads the sample format, and skips the scaling lists; returns `isCommonFormat`, or nil if they are invalid.
    private static func readFormat(_ reader: inout BitReader) -> Bool? {
        guard let format = reader.exponential(0...3) else { return nil }
        if format == 3 { guard reader.skip(1) != nil else { return nil } }
        guard let lumaBits = reader.exponential(0...6), let chromaBits = reader.exponential(0...6),
            reader.skip(1) != nil, let hasLists = reader.flag()
        else { return nil }
        let isCommon = format <= 1 && lumaBits == 0 && chromaBits == 0
        guard hasLists else { return isCommon }
        for list in 0..<(format == 3 ? 12 : 8) {
            guard let isPresent = reader.flag() else { return nil }
            if isPresent { guard skipScalingList(&reader, list < 6 ? 16 : 64) != nil else { return nil } }
        }
        return isCommon
    }

    private static func skipScalingList(_ reader: inout BitReader, _ count: Int) -> Void? {
        var (last, next) = (8, 8)
        for _ in 0..<count {
            if next != 0 {
                guard let delta = reader.signedExponential(), (-128...127).contains(delta) else { return nil }
                next = (last + delta + 256) & 0xFF
            }
            if next != 0 { last = next }
        }
        return ()
    }

    /// Skips the fields for the output order of frames and the number of reference frames.
    private static func skipOrder(_ reader: inout BitReader) -> Void? {
        guard reader.exponential(0...12) != nil, let type = reader.exponential(0...2) else { return nil }
        if type == 0 { guard reader.exponential(0...12) != nil else { return nil } }
        if type == 1 {
            guard reader.skip(1) != nil, reader.signedExponential() != nil, reader.signedExponential() != nil,
                let count = reader.exponential(0...255)
            else { return nil }
            for _ in 0..<count { guard reader.signedExponential() != nil else { return nil } }
        }
        guard reader.exponential(0...16) != nil else { return nil }
        return reader.skip(1)
    }

    private static func size(_ reader: inout BitReader) -> Resolution? {
        // Larger values exceed every limit.
        let sides = 0...0xFFFF
        guard let width = reader.exponential(sides), let height = reader.exponential(sides),
            let isProgressive = reader.flag()
        else { return nil }
        return Resolution(width: (width + 1) * 16, height: (height + 1) * (isProgressive ? 16 : 32))
    }
}
