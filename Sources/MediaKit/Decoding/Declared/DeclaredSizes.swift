internal import Basics
internal import GStreamerKit

/// The resolutions that the headers in a stream declare; a decoder may use any of them.
///
/// A parser reports only one of them, so a stream could hide a large resolution behind a small one.
struct DeclaredSizes: Hashable, Sendable {
    /// The codecs whose decoders take the resolution from the stream.
    private enum Codec: Hashable {
        case h264, h265, av1, mpeg2, mpeg4, theora, proRes
    }

    private let codec: Codec
    /// The number of bytes in the length field before each NAL unit; nil for a byte stream.
    private var lengthSize: Int?

    /// The resolutions in the header of the stream; nil for a resolution that cannot be read.
    private(set) var inHeader: [Resolution?] = []

    /// Reads the format of a stream; nil for an unsupported codec.
    init?(_ caps: Caps) {
        switch caps.mediaType {
        case "video/x-h264": codec = .h264
        case "video/x-h265": codec = .h265
        case "video/x-av1": codec = .av1
        case "video/x-theora": codec = .theora
        case "video/x-prores": codec = .proRes
        case "video/mpeg": codec = caps.int("mpegversion") == 4 ? .mpeg4 : .mpeg2
        // Version 3 is another codec, see `FrameInspection`.
        case "video/x-divx" where caps.int("divxversion") == 3: return nil
        case "video/x-divx", "video/x-xvid": codec = .mpeg4
        default: return nil
        }
        let header = Self.bytes(ofHex: caps.text(of: "codec_data") ?? "")
        switch codec {
        case .h264 where caps.string("stream-format") != "byte-stream": readAVCHeader(header)
        case .h265 where caps.string("stream-format") != "byte-stream": readHEVCHeader(header)
        case .h264, .h265: break
        // ISO binding of AV1, 2.3.3: four bytes, then OBUs.
        case .av1: header.dropFirst(4).withUnsafeBytes { inHeader = sizes(in: $0) }
        case .mpeg2, .mpeg4, .theora, .proRes: header.withUnsafeBytes { inHeader = sizes(in: $0) }
        }
    }

    /// Returns the resolutions in the headers of a frame; nil for a resolution that cannot be read.
    func sizes(in bytes: UnsafeRawBufferPointer) -> [Resolution?] {
        switch codec {
        case .h264, .h265: units(in: bytes).flatMap { sizes(inUnit: bytes[$0]) }
        case .av1: AV1SequenceHeader.sizes(in: bytes)
        case .mpeg2: MPEG2SequenceHeader.sizes(in: bytes)
        case .mpeg4: MPEG4LayerHeader.sizes(in: bytes)
        case .theora: Self.theora(bytes)
        case .proRes: Self.proRes(bytes)
        }
    }

    // MARK: - NAL units

    /// The maximum number of bytes of a parameter set that are read.
    private static let longest = 1024

    /// Reads the `avcC` header of H.264 (ISO/IEC 14496-15, 5.3.3.1).
    private mutating func readAVCHeader(_ header: [UInt8]) {
        lengthSize = 4
        guard header.count > 6 else { return }
        lengthSize = Int(header[4] & 3) + 1
        var rest = header[6...]
        readUnits(Int(header[5] & 31), from: &rest)
    }

    /// Reads the `hvcC` header of H.265 (ISO/IEC 14496-15, 8.3.3.1).
    private mutating func readHEVCHeader(_ header: [UInt8]) {
        lengthSize = 4
        guard header.count > 23 else { return }
        lengthSize = Int(header[21] & 3) + 1
        var rest = header[23...]
        for _ in 0..<header[22] {
            guard rest.count > 3 else { return }
            let count = Int(rest[rest.startIndex + 1]) << 8 | Int(rest[rest.startIndex + 2])
            rest = rest.dropFirst(3)
            readUnits(count, from: &rest)
        }
    }

    private mutating func readUnits(_ count: Int, from rest: inout ArraySlice<UInt8>) {
        for _ in 0..<count {
            guard rest.count > 2 else { return }
            let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            rest.dropFirst(2).prefix(length).withUnsafeBytes { inHeader += sizes(inUnit: $0[...]) }
            rest = rest.dropFirst(2 + length)
        }
    }

    private func units(in bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
        guard let lengthSize else { return H264Units.ranges(in: bytes) }
        var (units, start): ([Range<Int>], Int) = ([], 0)
        while start + lengthSize < bytes.count {
            let length = bytes[start..<start + lengthSize].reduce(0) { $0 << 8 | Int($1) }
            let end = min(bytes.count, start + lengthSize + length)
            units.append(start + lengthSize..<end)
            start = end
        }
        return units
    }

    /// Returns the resolution in a NAL unit that is a sequence parameter set; empty for other units.
    private func sizes(inUnit unit: Slice<UnsafeRawBufferPointer>) -> [Resolution?] {
        guard let header = unit.first else { return [] }
        if codec == .h264 {
            guard header & 31 == 7 else { return [] }
            return [H264SequenceParameters(unit, maximum: Self.longest)?.size]
        }
        guard header >> 1 & 63 == H265SequenceParameters.unitType else { return [] }
        // Decoders leave out the layers for other views, whose parameter sets have another form.
        guard header & 1 == 0, unit.dropFirst().first.map({ $0 >> 3 == 0 }) ?? false else { return [] }
        // The payload begins after a header of two bytes.
        let payload = H264Unit.payload(of: unit.dropFirst(), maximum: Self.longest)
        return [H265SequenceParameters(payload)?.size]
    }

    // MARK: - Other codecs

    /// Reads the identification header of Theora (Theora specification, 6.2).
    private static func theora(_ bytes: UnsafeRawBufferPointer) -> [Resolution?] {
        let mark = [0x80] + Array("theora".utf8)
        return (0..<max(0, bytes.count - 13)).compactMap { start in
            guard bytes[start] == mark[0], bytes[start..<start + mark.count].elementsEqual(mark) else {
                return nil
            }
            // Macroblocks of 16 × 16 pixels.
            func side(_ index: Int) -> Int {
                (Int(bytes[start + index]) << 8 | Int(bytes[start + index + 1])) * 16
            }
            return Resolution(width: side(10), height: side(12))
        }
    }

    /// Reads the header of a ProRes frame (SMPTE RDD 36, 5.1).
    private static func proRes(_ bytes: UnsafeRawBufferPointer) -> [Resolution?] {
        guard bytes.count >= 20, bytes[4..<8].elementsEqual("icpf".utf8) else { return [] }
        func side(_ index: Int) -> Int { Int(bytes[index]) << 8 | Int(bytes[index + 1]) }
        return [Resolution(width: side(16), height: side(18))]
    }

    private static func bytes(ofHex text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
