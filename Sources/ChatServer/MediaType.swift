/// The media type of a file, determined from its first bytes (WHATWG MIME Sniffing §6); clients' own statements are not
/// trusted.
struct MediaType: Hashable {
    /// The media type; `application/octet-stream` if it is unknown.
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
        let found = Self.signatures.first { head.dropFirst($0.offset).starts(with: $0.bytes) }?.name
        let hasAllTracks = found != "video/mp4" || Self.hasIndex(head)
        if hasAllTracks, let found, let sound = Self.sounds[found], sound.isAlone(in: head) {
            name = sound.name
        } else if let found {
            name = found
        } else if head.count > 1, head[0] == 0xFF, head[1] & 0xE0 == 0xE0 {
            name = "audio/mpeg"
        } else {
            name = "application/octet-stream"
        }
    }

    /// The video containers that may contain audio only; browsers record voice messages in them.
    private static let sounds = [
        // The codecs of Matroska (RFC 9559 §28.3), and the handlers of tracks (ISO/IEC 14496-12, 8.4.3).
        "video/webm": Sound(
            name: "audio/webm",
            audio: ["A_OPUS", "A_VORBIS"],
            video: ["V_VP8", "V_VP9", "V_AV1", "V_MPEG"]
        ),
        "video/mp4": Sound(name: "audio/mp4", audio: ["soun"], video: ["vide"]),
    ]

    private struct Sound {
        let name: String
        /// The strings that identify audio tracks in the track descriptions.
        let audio: [String]
        let video: [String]

        func isAlone(in head: [UInt8]) -> Bool {
            let text = String(decoding: head, as: Unicode.ASCII.self)
            return audio.contains(where: text.contains) && !video.contains(where: text.contains)
        }
    }

    /// Returns whether these bytes contain the complete index of an MP4 file, `moov` (ISO/IEC 14496-12, 8.2.1).
    private static func hasIndex(_ head: [UInt8]) -> Bool {
        var rest = head[...]
        while rest.count >= 8 {
            let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            if rest.dropFirst(4).prefix(4).elementsEqual("moov".utf8) { return size <= rest.count }
            guard size >= 8 else { return false }
            rest = rest.dropFirst(size)
        }
        return false
    }
}
