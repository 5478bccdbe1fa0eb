/// The format and size of an image, which are read from its first bytes without decoding it.
package struct PictureHeader: Hashable, Sendable {
    /// An image format; the raw value is its media type.
    package enum Kind: String, Sendable {
        case jpeg = "image/jpeg"
        case png = "image/png"
        case webp = "image/webp"
    }

    package let kind: Kind
    /// The width in pixels, at least 1.
    package let width: Int
    package let height: Int

    /// Reads the header of an image in PNG, JPEG or WebP; nil for anything else.
    package init?(_ bytes: [UInt8]) {
        let found = Self.png(bytes) ?? Self.webp(bytes) ?? Self.jpeg(bytes)
        guard let found, found.width > 0, found.height > 0 else { return nil }
        self = found
    }

    private init(_ kind: Kind, width: Int, height: Int) {
        (self.kind, self.width, self.height) = (kind, width, height)
    }

    private static func big(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private static func little(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Reads the header of a PNG image (ISO/IEC 15948): the signature, then the chunk IHDR.
    private static func png(_ bytes: [UInt8]) -> PictureHeader? {
        guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), bytes.count >= 33,
            text(bytes[12..<16]) == "IHDR"
        else { return nil }
        return PictureHeader(.png, width: big(bytes[16..<20]), height: big(bytes[20..<24]))
    }

    /// Reads the header of a WebP image (RFC 9649): lossy, lossless or extended.
    private static func webp(_ bytes: [UInt8]) -> PictureHeader? {
        guard bytes.count >= 30, text(bytes[0..<4]) == "RIFF", text(bytes[8..<12]) == "WEBP" else {
            return nil
        }
        switch text(bytes[12..<16]) {
        case "VP8 ":
            guard Array(bytes[23..<26]) == [0x9D, 0x01, 0x2A] else { return nil }
            return PictureHeader(
                .webp,
                width: little(bytes[26..<28]) & 0x3FFF,
                height: little(bytes[28..<30]) & 0x3FFF
            )
        case "VP8L":
            guard bytes[20] == 0x2F else { return nil }
            let size = little(bytes[21..<25])
            return PictureHeader(.webp, width: (size & 0x3FFF) + 1, height: (size >> 14 & 0x3FFF) + 1)
        case "VP8X":
            return PictureHeader(
                .webp,
                width: little(bytes[24..<27]) + 1,
                height: little(bytes[27..<30]) + 1
            )
        default: return nil
        }
    }

    /// Reads the header of a JPEG image (ITU-T T.81): segments up to the frame header, which contains the size.
    private static func jpeg(_ bytes: [UInt8]) -> PictureHeader? {
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
        var position = 2
        while position + 9 <= bytes.count, bytes[position] == 0xFF {
            let marker = bytes[position + 1]
            switch marker {
            // Fill bytes, and markers without a length.
            case 0xFF: position += 1
            case 0x01, 0xD0...0xD8: position += 2
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                return PictureHeader(
                    .jpeg,
                    width: big(bytes[position + 7..<position + 9]),
                    height: big(bytes[position + 5..<position + 7])
                )
            // The image data or its end before any frame header, and codes that are not markers. Decoders skip FF 00
            // and search for the next marker, so they could find a different frame header.
            case 0xD9, 0xDA, 0x00, 0x02...0xBF: return nil
            default:
                let length = big(bytes[position + 2..<position + 4])
                guard length >= 2 else { return nil }
                position += 2 + length
            }
        }
        return nil
    }
}
