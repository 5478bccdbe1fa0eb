import LiveCore
import Testing

@Suite("Addresses in playlists")
struct PlaylistAddressesTests {
    private func replaced(_ text: String) throws -> String {
        try PlaylistAddresses.replace(in: text) { $1 ? "<\($0)>" : "(\($0))" }
    }

    @Test(
        "The addresses of segments, variants, keys and initialization segments are replaced, and nothing else"
    )
    func all() throws {
        let text = """
            #EXTM3U
            #EXT-X-TARGETDURATION:2
            # comment
            #EXT-X-KEY:METHOD=AES-128,URI="key?a=1,2",IV=0x1
            #EXT-X-MAP:URI="init.mp4",BYTERANGE="10@0"
            #EXT-X-MEDIA:TYPE=AUDIO,NAME="a,b",URI="audio.m3u8"
            #EXTINF:2,URI

              a.ts\t
            #EXT-X-STREAM-INF:BANDWIDTH=1
            https://host/b.m3u8
            """
        let expected = """
            #EXTM3U
            #EXT-X-TARGETDURATION:2
            # comment
            #EXT-X-KEY:METHOD=AES-128,URI="<key?a=1,2>",IV=0x1
            #EXT-X-MAP:URI="<init.mp4>",BYTERANGE="10@0"
            #EXT-X-MEDIA:TYPE=AUDIO,NAME="a,b",URI="<audio.m3u8>"
            #EXTINF:2,URI

            (a.ts)
            #EXT-X-STREAM-INF:BANDWIDTH=1
            (https://host/b.m3u8)

            """
        #expect(try replaced(text) == expected)
        #expect(try replaced(text.replacing("\n", with: "\r\n")) == expected)
    }

    @Test(
        "Addresses that only a more lenient parser would find are replaced or removed",
        arguments: [
            "#EXT-X-KEY:URI=http://evil/a,IV=1", "#EXT-X-KEY:URI=\"http://evil/a",
            "#EXT-X-KEY:URI=\"http://evil/a\"\u{301}", "#EXT-X-KEY:URI=\u{301}\"http://evil/a\"",
            "http://evil/a",
            "#\u{301}EXT-X-KEY:URI=\"http://evil/a\"", " \thttp://evil/a", "\u{FEFF}http://evil/a",
            "#EXT-X-KEY:URI=\"http://evil/a\",URI=\"http://evil/b\"", "a\u{2028}http://evil/a",
        ]
    )
    func hidden(line: String) throws {
        let result = try PlaylistAddresses.replace(in: "#EXTM3U\n\(line)") { _, _ in "-" }
        #expect(!result.contains("evil"))
    }

    @Test("100,000 texts that look like addresses are processed quickly", .timeLimit(.minutes(4)))
    func many() throws {
        let text = "#EXTM3U\n#EXT-X-FOO:A=" + String(repeating: "URI=", count: 100_000)
        let changed = try PlaylistAddresses.replace(in: text) { address, _ in address }
        #expect(changed == text.replacing("URI=", with: "URI-") + "\n")
        let tags = "#EXTM3U\n#EXT-X-FOO:" + String(repeating: "URI=a,", count: 100_000)
        let long = String(repeating: "x", count: 8000)
        #expect(throws: PlaylistError.tooLarge) { try PlaylistAddresses.replace(in: tags) { _, _ in long } }
    }

    @Test("A quoted text that contains URI= is not taken for the address")
    func lookalike() throws {
        let line = "#EXT-X-MEDIA:NAME=\"see URI=x\",GROUP-ID=\"a\",URI=\"a.m3u8\""
        #expect(
            try replaced("#EXTM3U\n\(line)")
                == "#EXTM3U\n#EXT-X-MEDIA:NAME=\"see URI-x\",GROUP-ID=\"a\",URI=\"<a.m3u8>\"\n"
        )
    }

    @Test("A text that is too long or not a playlist is refused")
    func refused() {
        #expect(throws: PlaylistError.notAPlaylist) { try replaced("<html>") }
        #expect(throws: PlaylistError.tooLarge) {
            try replaced("#EXTM3U\n" + String(repeating: "#\n", count: 200_000))
        }
    }
}
