/// The payload of a video message (FLV 10.1 §E.4.3, and Enhanced RTMP 1).
package enum FLVVideo: Hashable, Sendable {
    /// An `AVCDecoderConfigurationRecord` (ISO/IEC 14496-15).
    case configuration(ArraySlice<UInt8>)
    /// The H.264 units of a frame, each after its length.
    ///
    /// `offset` is the difference between presentation and decoding in milliseconds.
    case frame(isKeyframe: Bool, offset: Int, ArraySlice<UInt8>)
    case endOfSequence
    /// A message without video, such as a command or metadata.
    case nothing
    /// Video in a codec other than H.264, with the codec's name.
    case unsupported(String)

    private static let avc = UInt32(fourCharacters: "avc1")
    private static let names: [UInt8: String] = [
        2: "Sorenson H.263", 3: "Screen Video", 4: "VP6", 5: "VP6", 6: "Screen Video 2", 12: "HEVC",
    ]

    /// Parses a payload.
    ///
    /// - Throws: `RTMPViolation.truncated`.
    package init(_ payload: [UInt8]) throws(RTMPViolation) {
        var reader = ByteReader(payload)
        let first = try reader.byte()
        let isKeyframe = (first >> 4) & 7 == 1
        // An information or command frame.
        guard (first >> 4) & 7 != 5 else {
            self = .nothing
            return
        }
        if first & 0x80 != 0 {
            self = try Self.enhanced(first & 0x0F, isKeyframe: isKeyframe, &reader)
            return
        }
        let codec = first & 0x0F
        guard codec == 7 else {
            self = .unsupported(Self.names[codec] ?? "codec \(codec)")
            return
        }
        // Some encoders send messages without content.
        guard reader.count >= 4 else {
            self = .nothing
            return
        }
        let type = try reader.byte()
        let offset = Self.signed(try reader.uint24())
        switch type {
        case 0: self = .configuration(reader.rest())
        case 1: self = .frame(isKeyframe: isKeyframe, offset: offset, reader.rest())
        case 2: self = .endOfSequence
        default: self = .nothing
        }
    }

    private static func enhanced(
        _ type: UInt8,
        isKeyframe: Bool,
        _ reader: inout ByteReader
    ) throws(RTMPViolation) -> FLVVideo {
        let codec = try reader.uint32()
        guard codec == avc else { return .unsupported(codec.fourCharacters) }
        switch type {
        case 0: return .configuration(reader.rest())
        case 1:
            let offset = signed(try reader.uint24())
            return .frame(isKeyframe: isKeyframe, offset: offset, reader.rest())
        case 2: return .endOfSequence
        case 3: return .frame(isKeyframe: isKeyframe, offset: 0, reader.rest())
        default: return .nothing
        }
    }

    private static func signed(_ value: Int) -> Int { value >= 0x80_0000 ? value - 0x100_0000 : value }

    /// The payload as encoders send it; empty for `nothing` and `unsupported`.
    package var payload: [UInt8] {
        switch self {
        case .configuration(let record): [0x17, 0, 0, 0, 0] + record
        case .frame(let isKeyframe, let offset, let units): Self.frame(isKeyframe, offset) + units
        case .endOfSequence: [0x17, 2, 0, 0, 0]
        case .nothing, .unsupported: []
        }
    }

    private static func frame(_ isKeyframe: Bool, _ offset: Int) -> [UInt8] {
        var bytes: [UInt8] = [isKeyframe ? 0x17 : 0x27, 1]
        bytes.append(offset, width: 3)
        return bytes
    }
}

extension UInt32 {
    init(fourCharacters text: StaticString) {
        self = text.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    /// The number as four characters, with `?` for those that cannot be printed.
    var fourCharacters: String {
        (0..<4).map { index in
            let byte = UInt8(truncatingIfNeeded: self >> (24 - 8 * index))
            return 0x21...0x7E ~= byte ? String(UnicodeScalar(byte)) : "?"
        }.joined()
    }
}
