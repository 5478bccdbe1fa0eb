/// The payload of an audio message (FLV 10.1 §E.4.2, and Enhanced RTMP 2).
package enum FLVAudio: Hashable, Sendable {
    /// An `AudioSpecificConfig` (ISO/IEC 14496-3).
    case configuration(ArraySlice<UInt8>)
    /// A frame of AAC without a header.
    case frame(ArraySlice<UInt8>)
    /// A message without audio.
    case nothing
    /// Audio in a codec other than AAC, with the codec's name.
    case unsupported(String)

    private static let aac = UInt32(fourCharacters: "mp4a")
    private static let names: [UInt8: String] = [
        0: "PCM", 1: "ADPCM", 2: "MP3", 3: "PCM", 4: "Nellymoser", 5: "Nellymoser", 6: "Nellymoser",
        7: "G.711", 8: "G.711", 11: "Speex", 14: "MP3",
    ]

    /// Parses a payload.
    ///
    /// - Throws: `RTMPViolation.truncated`.
    package init(_ payload: [UInt8]) throws(RTMPViolation) {
        // Some encoders send an empty message when they have no audio.
        guard !payload.isEmpty else {
            self = .nothing
            return
        }
        var reader = ByteReader(payload)
        let first = try reader.byte()
        let type: UInt8
        switch first >> 4 {
        case 9:
            type = first & 0x0F
            let codec = try reader.uint32()
            guard codec == Self.aac else {
                self = .unsupported(codec.fourCharacters)
                return
            }
        case 10 where reader.isAtEnd:
            self = .nothing
            return
        case 10: type = try reader.byte()
        default:
            self = .unsupported(Self.names[first >> 4] ?? "codec \(first >> 4)")
            return
        }
        switch type {
        case 0: self = .configuration(reader.rest())
        case 1: self = .frame(reader.rest())
        default: self = .nothing
        }
    }

    /// The payload as encoders send it; empty for `nothing` and `unsupported`.
    package var payload: [UInt8] {
        switch self {
        case .configuration(let bytes): [0xAF, 0] + bytes
        case .frame(let bytes): [0xAF, 1] + bytes
        case .nothing, .unsupported: []
        }
    }
}
