import LiveCore
import Testing

@Suite("Playlists for GStreamer’s demuxer")
struct ReadablePlaylistTests {
    @Test(
        "Every duration is written so that no parser reads it as zero",
        arguments: [
            ("2", "2.000000"), (" 2.5 ", "2.500000"), ("0", "0.001000"), ("1e-30", "0.001000"),
            ("0.0000000001", "0.001000"), ("0x10", "16.000000"), ("3600", "3600.000000"),
        ]
    )
    func durations(written: String, read: String) throws {
        let text = try ReadablePlaylist.text(of: "#EXTM3U\n#A\n#EXTINF:\(written),title\n#EXT-X-X\n\na.ts\n")
        #expect(text == "#EXTM3U\n#A\n#EXTINF:\(read),\n#EXT-X-X\n\na.ts\n")
    }

    @Test(
        "A playlist without segments, or with a segment without a duration, is refused",
        arguments: [
            ("", .missing("segment")), ("#EXTINF:2,\n\n#EXT-X-ENDLIST", .missing("segment")),
            ("#EXTINF:2,\n#x", .missing("segment")), ("a.ts", .damaged(line: 2)),
            ("#EXTINF:2,\na.ts\nb.ts", .damaged(line: 4)), ("#EXTINF:,\na.ts", .damaged(line: 2)),
            ("#EXTINF:nan,\na.ts", .damaged(line: 2)), ("#EXTINF:-1,\na.ts", .damaged(line: 2)),
            ("#EXTINF:1e9,\na.ts", .damaged(line: 2)), ("#EXTINF\na.ts", .damaged(line: 2)),
            ("#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n#EXTINF:2,\na.ts", .damaged(line: 4)),
            ("#EXTINF:2,\n#\u{301}x", .missing("segment")), ("#EXTINF:2,\n\0\na.ts", .notAPlaylist),
            ("#x#EXT-X-STREAM-INF:\n#EXT-X-TARGETDURATION:2", .missing("segment")),
            ("#EXT-X-STREAM-INF:BANDWIDTH=1", .missing("variant")),
        ] as [(String, PlaylistError)]
    )
    func refused(rows: String, error: PlaylistError) {
        #expect(throws: error) { try ReadablePlaylist.text(of: "#EXTM3U\n\(rows)") }
    }

    @Test(
        "The address of a segment counts as missing if it has only invisible characters",
        arguments: ["\u{1}", "\u{7F}", " \t"]
    )
    func invisible(address: String) throws {
        let replaced = try PlaylistAddresses.replace(in: "#EXTM3U\n#EXTINF:2,\n\(address)\n") { address, _ in
            address
        }
        #expect(throws: PlaylistError.missing("segment")) { try ReadablePlaylist.text(of: replaced) }
    }

    @Test("A multivariant playlist remains unchanged")
    func variants() throws {
        let text = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n#EXT-X-MEDIA:TYPE=AUDIO,URI=\"b.m3u8\""
        #expect(try ReadablePlaylist.text(of: text) == text)
    }
}
