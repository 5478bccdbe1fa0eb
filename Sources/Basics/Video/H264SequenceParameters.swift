/// An H.264 sequence parameter set, read up to the frame size (ITU-T H.264, 7.3.2.1.1).
///
/// Values outside the specification are rejected, because decoders interpret them differently.
package struct H264SequenceParameters: Hashable {
    /// The `seq_parameter_set_id`, 0…31.
    package let id: Int
    /// The decoded size, before cropping.
    package let size: Resolution
    /// Whether the samples have 8 bits, and one or three color components with 4:2:0 subsampling.
    package let isCommonFormat: Bool
    /// The `chroma_format_idc`: 0 without colors, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
    private let chromaFormat: Int
    /// Whether all pictures are whole frames, and not fields.
    private let isProgressive: Bool

    private static let plainProfiles: Set<Int> = [66, 77, 88]
    /// The profiles for which all decoders expect `chroma_format_idc` in the parameter set.
    private static let highProfiles: Set<Int> = [44, 83, 86, 100, 110, 118, 122, 128, 138, 244]

    /// Parses the bytes after the NAL unit header, with emulation prevention bytes removed; nil if they are
    /// invalid.
    package init?(_ payload: [UInt8]) {
        var reader = BitReader(payload)
        self.init(&reader)
    }

    /// Reads the fields up to `frame_mbs_only_flag`; nil if they are invalid.
    private init?(_ reader: inout BitReader) {
        guard let profile = reader.bits(8), reader.skip(16) != nil, let id = reader.exponential(0...31)
        else { return nil }
        let isHigh = Self.highProfiles.contains(profile)
        guard isHigh || Self.plainProfiles.contains(profile) else { return nil }
        var format = (chroma: 1, isCommon: true)
        if isHigh {
            guard let found = Self.readFormat(&reader) else { return nil }
            format = found
        }
        let sides = 0...0xFFFF  // larger values exceed every limit
        guard Self.skipOrder(&reader) != nil, let width = reader.exponential(sides),
            let height = reader.exponential(sides), let isProgressive = reader.flag()
        else { return nil }
        self.id = id
        (chromaFormat, isCommonFormat, self.isProgressive) = (format.chroma, format.isCommon, isProgressive)
        size = Resolution(width: (width + 1) * 16, height: (height + 1) * (isProgressive ? 16 : 32))
    }

    /// Returns the size of the shown part of a frame, after cropping; nil if the bytes after the NAL unit header, with
    /// emulation prevention bytes removed, are invalid.
    package static func shownSize(_ payload: [UInt8]) -> Resolution? {
        var reader = BitReader(payload)
        guard let set = Self(&reader), reader.skip(set.isProgressive ? 1 : 2) != nil,
            let isCropped = reader.flag()
        else { return nil }
        guard isCropped else { return set.size }
        let sides = 0...0xFFFF
        guard let left = reader.exponential(sides), let right = reader.exponential(sides),
            let top = reader.exponential(sides), let bottom = reader.exponential(sides)
        else { return nil }
        let (across, down) = set.cropUnit
        let width = set.size.width - (left + right) * across
        let height = set.size.height - (top + bottom) * down
        return width > 0 && height > 0 ? Resolution(width: width, height: height) : nil
    }

    /// The unit of the cropping fields in pixels (7-19 to 7-22).
    private var cropUnit: (across: Int, down: Int) {
        let across = 1...2 ~= chromaFormat ? 2 : 1
        let down = (chromaFormat == 1 ? 2 : 1) * (isProgressive ? 1 : 2)
        return (across, down)
    }

    /// Reads the sample format, and skips the scaling lists; nil if they are invalid.
    private static func readFormat(_ reader: inout BitReader) -> (chroma: Int, isCommon: Bool)? {
        guard let format = reader.exponential(0...3) else { return nil }
        if format == 3 { guard reader.skip(1) != nil else { return nil } }
        guard let lumaBits = reader.exponential(0...6), let chromaBits = reader.exponential(0...6),
            reader.skip(1) != nil, let hasLists = reader.flag()
        else { return nil }
        let found = (chroma: format, isCommon: format <= 1 && lumaBits == 0 && chromaBits == 0)
        guard hasLists else { return found }
        for list in 0..<(format == 3 ? 12 : 8) {
            guard let isPresent = reader.flag() else { return nil }
            if isPresent { guard skipScalingList(&reader, list < 6 ? 16 : 64) != nil else { return nil } }
        }
        return found
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
}
