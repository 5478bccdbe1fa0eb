import Basics
import CallCore
import Foundation
import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Playlists", .timeLimit(.minutes(4)))
struct PlaylistTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "A playlist is recognized by its first characters",
        arguments: [
            "#EXTM3U\n#EXT-X-VERSION:3\n", "\u{FEFF}#EXTM3U\n", "\r\n #extm3u", "[playlist]\nFile1=http://x/",
            "<asx version=\"3\">", "<?xml version=\"1.0\"?>\n<MPD>", "<SMIL>",
            "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\n",
            "[Reference]\nRef1=http://x/",
        ]
    )
    func beginnings(_ text: String) { #expect(Playlists.isPlaylist(Array(text.utf8))) }

    @Test(
        "Media is not mistaken for a playlist",
        arguments: ["\u{1A}E\u{DF}", "\0\0\0 ftypisom", "RIFF", "OggS", "#!AMR\n", "", "GIF89a"]
    )
    func media(_ text: String) { #expect(!Playlists.isPlaylist(Array(text.utf8))) }

    @Test(
        "A playlist is rejected even if it is named like a media file",
        arguments: [
            // GStreamer's typefinders recognize a playlist even after a leading comment.
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nhttp://127.0.0.1:9/1.ts\n#EXT-X-ENDLIST\n",
            "<?xml version=\"1.0\"?>\n<!-- a --><MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\"></MPD>\n",
            "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=x\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=video 9 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\n",
        ]
    )
    func guarded(_ text: String) async throws {
        let path = folder.path("film.mp4")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        await #expect {
            _ = try await FileProbe.read(path: path, library: Project.library)
        } throws: { error in
            guard case MediaFailure.source(let message, _) = error else { return false }
            return message.contains("is a playlist")
        }
    }

    @Test(
        "Media types of containers and images are not treated as playlists",
        arguments: ["video/quicktime", "audio/x-wav", "application/ogg", "image/jpeg"]
    )
    func containers(_ mediaType: String) { #expect(Playlists.isMedia(mediaType)) }
}
