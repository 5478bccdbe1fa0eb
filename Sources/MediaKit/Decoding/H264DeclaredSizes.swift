internal import Basics
internal import GStreamerKit

/// The resolutions that the parameter sets in H.264 declare, of which a decoder may use any.
struct H264DeclaredSizes: Hashable, Sendable {
    /// The number of bytes before each NAL unit that tell its length; nil for a byte stream.
    private var lengthSize: Int?

    /// The resolutions in the header of the stream, nil for a set that cannot be read; empty for a byte stream, which has
    /// no header.
    private(set) var inHeader: [Resolution?] = []

    /// Reads the format of a stream (ISO/IEC 14496-15, 5.3.3.1).
    init(_ caps: Caps) {
        guard caps.string("stream-format") != "byte-stream" else { return }
        lengthSize = 4
        let header = Self.bytes(ofHex: caps.text(of: "codec_data") ?? "")
        guard header.count > 6 else { return }
        lengthSize = Int(header[4] & 3) + 1
        var rest = header[6...]
        for _ in 0..<Int(header[5] & 31) {
            guard rest.count > 2 else { return }
            let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            let unit = rest.dropFirst(2).prefix(length)
            unit.withUnsafeBytes { bytes in inHeader += Self.sizes(in: bytes[...]) }
            rest = rest.dropFirst(2 + length)
        }
    }

    /// Reads the parameter sets in an access unit; nil for one that cannot be read.
    func sizes(in bytes: UnsafeRawBufferPointer) -> [Resolution?] {
        guard let lengthSize else {
            return H264Units.ranges(in: bytes).flatMap { Self.sizes(in: bytes[$0]) }
        }
        var sizes: [Resolution?] = []
        var start = 0
        while start + lengthSize < bytes.count {
            let length = bytes[start..<start + lengthSize].reduce(0) { $0 << 8 | Int($1) }
            let end = min(bytes.count, start + lengthSize + length)
            sizes += Self.sizes(in: bytes[start + lengthSize..<end])
            start = end
        }
        return sizes
    }

    /// The longest part of a parameter set that is read, in bytes.
    private static let longest = 1024

    /// Returns the resolution of a unit that is a parameter set; nothing for other units.
    private static func sizes(in unit: Slice<UnsafeRawBufferPointer>) -> [Resolution?] {
        guard let header = unit.first, header & 31 == 7 else { return [] }
        return [H264SequenceParameters(H264Units.payload(of: unit, maximum: longest))?.size]
    }

    private static func bytes(ofHex text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
