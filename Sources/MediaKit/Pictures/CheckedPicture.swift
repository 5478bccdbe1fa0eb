internal import Basics

/// A picture that is complete and within its size limits, so that it is safe to decode.
///
/// The check finds the end of the picture but does not decode it: its pixels may still be invalid.
struct CheckedPicture: Hashable, Sendable {
    /// The maximum number of scans of a JPEG; encoders use a dozen.
    ///
    /// Each scan of a progressive JPEG may change all pixels, although it has only a few bytes.
    private static let maximumScans = 64
    /// The PNG chunks that determine the pixels.
    ///
    /// libpng decompresses text chunks to up to 8 MB each, and stores up to a thousand of them.
    private static let chunks: Set = ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]

    let header: PictureHeader
    /// The bytes that determine the pixels.
    ///
    /// Other parts are removed, because a decoder could take any amount of time for them. Bytes after the end are also
    /// removed, because a decoder would read them as another picture of any size.
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
        let whole =
            switch header.kind {
            case .jpeg: Self.jpeg(bytes)
            case .png: Self.png(bytes)
            case .webp: Self.webp(bytes)
            }
        guard let whole else { throw .damaged }
        (self.header, self.bytes) = (header, whole)
    }

    /// Returns the segments up to the marker “end of image” (ITU-T T.81, annex B).
    ///
    /// Comments and application segments are left out, except for those that a decoder needs.
    private static func jpeg(_ bytes: [UInt8]) -> [UInt8]? {
        var (position, scans) = (2, 0)
        var kept = Array(bytes.prefix(2))
        var known: Set<UInt8> = []
        while position + 4 <= bytes.count, bytes[position] == 0xFF {
            switch bytes[position + 1] {
            case 0xFF: position += 1
            case 0x01, 0xD0...0xD8:
                kept += bytes[position..<position + 2]
                position += 2
            case 0x00: return nil
            case 0xD9: return kept + bytes[position..<position + 2]
            case let marker:
                let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
                let end = position + 2 + length
                guard length >= 2, end <= bytes.count else { return nil }
                let segment = bytes[position..<end]
                position = end
                switch marker {
                // The density, the orientation, and the kind of colors.
                case 0xE0, 0xE1, 0xEE:
                    let needed = marker == 0xE1 ? EXIF(segment).map(\.segment) : Array(segment)
                    if let needed, known.insert(marker).inserted { kept += needed }
                case 0xE2...0xEF, 0xFE: break
                case 0xDA:
                    scans += 1
                    guard scans <= maximumScans else { return nil }
                    position = endOfScan(bytes, from: position)
                    kept += segment + bytes[end..<position]
                default: kept += segment
                }
            }
        }
        // The loop needs four bytes, but the end marker at the end of the file has two.
        let isAtEnd = position + 2 <= bytes.count && bytes[position...].starts(with: [0xFF, 0xD9])
        return isAtEnd ? kept + bytes[position..<position + 2] : nil
    }

    /// Returns the position of the next marker that ends the compressed data of a scan, or the number of bytes if there
    /// is none.
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

    /// Returns the chunks that determine the pixels (ISO/IEC 15948), up to the last one; nil if they are incomplete or
    /// of an unsupported kind.
    private static func png(_ bytes: [UInt8]) -> [UInt8]? {
        // pngdec 1.22 mixes up the channels of RGB with 16 bits per channel.
        if bytes[24] == 16, bytes[25] == 2 { return nil }
        var (position, kept) = (8, Array(bytes.prefix(8)))
        while position + 12 <= bytes.count {
            let length = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            let name = String(decoding: bytes[position + 4..<position + 8], as: UTF8.self)
            let end = position + 12 + length
            guard end <= bytes.count else { return nil }
            if chunks.contains(name) { kept += bytes[position..<end] }
            if name == "IEND" { return kept }
            position = end
        }
        return nil
    }

    /// Returns the RIFF container (RFC 9649), including the padding byte after an odd length.
    private static func webp(_ bytes: [UInt8]) -> [UInt8]? {
        let length = bytes[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
        // A container that is shorter than the header that was read from it is invalid.
        guard length >= 22, length <= bytes.count - 8 else { return nil }
        return Array(bytes.prefix(8 + length + length % 2))
    }
}
