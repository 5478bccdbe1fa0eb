/// The type of a file, from its first bytes (WHATWG MIME Sniffing §6), because clients may name any.
struct MediaType: Hashable {
    /// The media type; `application/octet-stream` for what is not known.
    let name: String

    private static let signatures: [(offset: Int, bytes: [UInt8], name: String)] = [
        (0, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"),
        (0, [0xFF, 0xD8, 0xFF], "image/jpeg"),
        (0, Array("GIF8".utf8), "image/gif"),
        (8, Array("WEBP".utf8), "image/webp"),
        (0, Array("OggS".utf8), "audio/ogg"),
        (0, Array("fLaC".utf8), "audio/flac"),
        (0, Array("ID3".utf8), "audio/mpeg"),
        (8, Array("WAVE".utf8), "audio/wav"),
        (4, Array("ftypM4A".utf8), "audio/mp4"),
        (4, Array("ftypqt".utf8), "video/quicktime"),
        (4, Array("ftyp".utf8), "video/mp4"),
        (0, [0x1A, 0x45, 0xDF, 0xA3], "video/webm"),
        (0, Array("%PDF-".utf8), "application/pdf"),
    ]

    init(_ head: [UInt8]) {
        let found = Self.signatures.first { head.dropFirst($0.offset).starts(with: $0.bytes) }
        if let found {
            name = found.name
        } else if head.count > 1, head[0] == 0xFF, head[1] & 0xE0 == 0xE0 {
            name = "audio/mpeg"
        } else {
            name = "application/octet-stream"
        }
    }
}
