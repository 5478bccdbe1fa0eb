internal import Basics

/// An H.265 sequence parameter set, read up to the frame size (ITU-T H.265, 7.3.2.2).
struct H265SequenceParameters: Hashable {
    /// The `nal_unit_type` of a parameter set.
    static let unitType: UInt8 = 33

    /// The decoded size, before cropping.
    let size: Resolution

    /// Parses the bytes after the NAL unit header, with emulation prevention bytes removed; nil if they are
    /// invalid.
    init?(_ payload: [UInt8]) {
        var reader = BitReader(payload)
        // Larger values exceed every limit.
        let sides = 1...0xFFFF
        guard reader.skip(4) != nil, let layers = reader.bits(3), reader.skip(1) != nil,
            Self.skipProfile(&reader, layers) != nil, reader.exponential(0...15) != nil,
            let chroma = reader.exponential(0...3), chroma != 3 || reader.skip(1) != nil,
            let width = reader.exponential(sides), let height = reader.exponential(sides)
        else { return nil }
        size = Resolution(width: width, height: height)
    }

    /// Skips `profile_tier_level` (7.3.3).
    private static func skipProfile(_ reader: inout BitReader, _ layers: Int) -> Void? {
        guard reader.skip(96) != nil else { return nil }
        var length = 0
        for _ in 0..<layers {
            guard let hasProfile = reader.flag(), let hasLevel = reader.flag() else { return nil }
            length += (hasProfile ? 88 : 0) + (hasLevel ? 8 : 0)
        }
        return reader.skip(length + (layers > 0 ? (8 - layers) * 2 : 0))
    }
}
