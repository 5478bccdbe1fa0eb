internal import Basics

/// The bytes of a complete picture within a limit, which may be decoded.
///
/// The check finds the end of the picture but does not decode it: its pixels may still be invalid.
struct CheckedPicture: Hashable, Sendable {
    /// The maximum number of scans of a JPEG; encoders use a dozen.
    ///
    /// Each scan of a progressive JPEG may change all pixels, although it has only a few bytes.
    private static let maximumScans = 64

    let header: PictureHeader
    /// The bytes without those behind the end of the picture, which a decoder would take for another picture, of
    /// any size.
    let bytes: [UInt8]

    /// Checks a picture.
    ///
    /// - Throws: `PictureError.tooLarge`, `.notAPicture`, or `.damaged` if the picture is incomplete.
    init(_ bytes: [UInt8], limit: PictureLimit) throws(PictureError) {
        guard bytes.count <= limit.bytes else { throw .tooLarge }
        guard let header = PictureHeader(bytes) else { throw .notAPicture }
        guard header.width <= limit.side, header.height <= limit.side,
            header.width * header.height <= limit.pixels
        else { throw .tooLarge }
        let end =
            switch header.kind {
            case .jpeg: Self.endOfJPEG(bytes)
            case .png: Self.endOfPNG(bytes)
            case .webp: Self.endOfWebP(bytes)
            }
        guard let end else { throw .damaged }
        (self.header, self.bytes) = (header, Array(bytes[..<end]))
    }

    /// Finds the end of the marker “end of image” (ITU-T T.81, annex B).
    private static func endOfJPEG(_ bytes: [UInt8]) -> Int? {
        var position = 2
        var scans = 0
        while position + 4 <= bytes.count, bytes[position] == 0xFF {
            switch bytes[position + 1] {
            case 0xFF: position += 1
            case 0x01, 0xD0...0xD8: position += 2
            case 0x00: return nil
            case 0xD9: return position + 2
            case let marker:
                let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
                guard length >= 2 else { return nil }
                position += 2 + length
                guard marker == 0xDA else { continue }
                scans += 1
                guard scans <= maximumScans else { return nil }
                position = endOfScan(bytes, from: position)
            }
        }
        // The marker may be followed by nothing.
        let isAtEnd = position + 2 <= bytes.count && bytes[position...].starts(with: [0xFF, 0xD9])
        return isAtEnd ? position + 2 : nil
    }

    /// Finds the next marker that ends the compressed data of a scan; the number of bytes if there is none.
    private static func endOfScan(_ bytes: [UInt8], from start: Int) -> Int {
        var position = start
        while position + 1 < bytes.count {
            switch (bytes[position], bytes[position + 1]) {
            // A byte 255 of the data, and a restart marker.
            case (0xFF, 0x00), (0xFF, 0xD0...0xD7): position += 2
            case (0xFF, _): return position
            default: position += 1
            }
        }
        return bytes.count
    }

    /// Finds the end of the chunk IEND (ISO/IEC 15948).
    private static func endOfPNG(_ bytes: [UInt8]) -> Int? {
        // pngdec 1.22 mixes up the channels of 16 bits each without alpha.
        if bytes[24] == 16, bytes[25] == 2 { return nil }
        var position = 8
        while position + 12 <= bytes.count {
            let length = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            let isEnd = bytes[position + 4..<position + 8].elementsEqual("IEND".utf8)
            position += 12 + length
            if isEnd { return position <= bytes.count ? position : nil }
        }
        return nil
    }

    /// Finds the end of the RIFF container (RFC 9649), with the byte that makes its length even.
    private static func endOfWebP(_ bytes: [UInt8]) -> Int? {
        let length = bytes[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
        // A container with less than the header that has been read contradicts itself.
        guard length >= 22, length <= bytes.count - 8 else { return nil }
        return min(bytes.count, 8 + length + length % 2)
    }
}
