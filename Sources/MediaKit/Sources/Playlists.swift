internal import Basics
internal import Glibc

/// Detects files that contain URLs of media instead of media.
///
/// Opening a local file must not cause requests to other hosts.
enum Playlists {
    static let hls = "application/x-hls"
    /// The media types whose content refers to URLs, from which demuxers would fetch data.
    private static let mediaTypes: Set<String> = [
        hls, "application/dash+xml", "application/vnd.ms-sstr+xml", "application/sdp",
        "application/smil", "application/xges", "text/uri-list",
    ]
    /// The media types of containers that do not begin with `video/`, `audio/` or `image/`.
    private static let containers: Set<String> = [
        "application/ogg", "application/x-annodex", "application/mxf", "application/x-3gp",
        "application/x-id3",
        "application/x-apetag", "application/x-ape", "application/vnd.rn-realmedia",
    ]
    /// The first characters, in lower case, of M3U and HLS, PLS, ASX, SMIL, DASH, XSPF, Windows Media and SDP
    /// files.
    private static let beginnings = [
        "#extm3u", "[playlist]", "<asx", "<smil", "<mpd", "<playlist", "[reference]", "v=0\r", "v=0\n",
    ]
    private static let readLength = 512

    /// Returns whether a local file of this media type may be demuxed; false for playlists and unknown types.
    static func isMedia(_ mediaType: String) -> Bool {
        ["video/", "audio/", "image/"].contains(where: mediaType.hasPrefix) || containers.contains(mediaType)
    }

    static func contains(_ mediaType: String) -> Bool { mediaTypes.contains(mediaType) }

    /// Rejects a file that begins like a playlist; a file that cannot be read is accepted.
    ///
    /// - Throws: `MediaFailure.source` for a playlist.
    static func refuse(_ path: String) throws(MediaFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var head = [UInt8](repeating: 0, count: readLength)
        let count = read(descriptor, &head, head.count)
        if isPlaylist(head.prefix(max(0, count))) { throw failure(path) }
    }

    /// Returns whether content with this beginning is a playlist.
    static func isPlaylist(_ beginning: some Collection<UInt8>) -> Bool {
        let bytes = Array(beginning)
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var text = String(decoding: bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes[...], as: UTF8.self)
            .lowercased()[...]
        text = text.drop(while: \.isWhitespace)
        if text.hasPrefix("<?xml") {
            text = text.drop { $0 != ">" }.dropFirst().drop(while: \.isWhitespace)
        }
        return beginnings.contains { text.utf8.starts(with: $0.utf8) }
    }

    static func failure(_ path: String) -> MediaFailure {
        .source(
            message:
                "\(path) is a playlist: it holds URLs instead of media, and a local file may not name URLs",
            hint: "give the media file itself, or the playlist's URL, as in https://HOST/LIST.m3u8"
        )
    }
}
