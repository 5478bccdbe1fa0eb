import Basics
import BasicsTesting
import LiveCore
import Testing

@Suite("Playlists")
struct MediaPlaylistTests {
    private static let live = """
        #EXTM3U
        #EXT-X-VERSION:3
        #EXT-X-TARGETDURATION:2
        #EXT-X-MEDIA-SEQUENCE:41
        #EXT-X-DISCONTINUITY-SEQUENCE:1
        # a comment
        #EXT-X-PROGRAM-DATE-TIME:2026-01-31T12:00:00.500Z
        #EXTINF:1.5,title

        a.ts
        #EXT-X-DISCONTINUITY
        #EXTINF:2,
        b.ts?x=1
        """

    @Test("A playlist with 400,000 combining marks is parsed quickly", .timeLimit(.minutes(4)))
    func marks() throws {
        let marks = BasicsTesting.marks(400_000)
        for line in ["#EXT-X-\(marks)", "#EXT-X-STREAM-INF:\(marks)=1", "#EXT-X-KEY:METHOD=\(marks)", marks] {
            _ = try? MediaPlaylist(Self.live + "\n" + line)
            _ = MultivariantPlaylist.matches(Self.live + "\n" + line)
            _ = try? MultivariantPlaylist(Self.live + "\n" + line)
        }
    }

    @Test("The segments of a live playlist are read with durations, dates and discontinuities")
    func live() throws {
        for text in [Self.live, Self.live.replacing("\n", with: "\r\n"), "\u{FEFF}" + Self.live] {
            let playlist = try MediaPlaylist(text)
            #expect(playlist.targetDuration == 2)
            #expect(playlist.firstNumber == 41)
            #expect(playlist.endNumber == 43)
            #expect(playlist.firstDiscontinuity == 1)
            #expect(!playlist.isEnded)
            #expect(playlist.duration == .milliseconds(3500))
            #expect(
                playlist.segments == [
                    .init("a.ts", .milliseconds(1500), date: Timestamp("2026-01-31T12:00:00.5Z")),
                    .init("b.ts?x=1", .seconds(2), isDiscontinuous: true),
                ]
            )
        }
    }

    @Test("Spaces around numbers and a fraction of the target duration are accepted")
    func lenience() throws {
        let playlist = try MediaPlaylist("#EXTM3U\n#EXT-X-TARGETDURATION: 5.5 \n#EXTINF: 1.5 ,x\na.ts")
        #expect(playlist.targetDuration == 6)
        #expect(playlist.duration == .milliseconds(1500))
    }

    @Test("A serialized playlist is parsed unchanged")
    func roundTrip() throws {
        var playlist = try MediaPlaylist(Self.live)
        #expect(try MediaPlaylist(playlist.text) == playlist)
        playlist.isEnded = true
        #expect(playlist.text.hasSuffix("#EXT-X-ENDLIST\n"))
        #expect(try MediaPlaylist(playlist.text) == playlist)
    }

    @Test(
        "A damaged playlist is refused with the reason",
        arguments: [
            ("", PlaylistError.notAPlaylist), ("<html>", .notAPlaylist), ("#EXTM3U8", .notAPlaylist),
            ("#EXTM3U\n", .missing("EXT-X-TARGETDURATION")), ("#EXTM3U\na.ts", .damaged(line: 2)),
            ("#EXTM3U\n#EXT-X-TARGETDURATION:0", .damaged(line: 2)),
            ("#EXTM3U\n#EXT-X-TARGETDURATION:x", .damaged(line: 2)),
            ("#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:-1", .damaged(line: 2)),
            ("#EXTM3U\n\n#EXTINF:nan,", .damaged(line: 3)), ("#EXTM3U\n#EXTINF:-1,", .damaged(line: 2)),
            ("#EXTM3U\n#EXTINF:1e9,", .damaged(line: 2)),
            ("#EXTM3U\n" + String(repeating: "\n", count: 120_000), .tooLarge),
            ("#EXTM3U\n" + String(repeating: "x", count: 1 << 20), .tooLarge),
        ]
    )
    func damage(text: String, error: PlaylistError) {
        #expect(throws: error) { try MediaPlaylist(text) }
    }

    @Test("The variants of a playlist are read with bandwidth, size and codecs")
    func variants() throws {
        let text = """
            #EXTM3U
            #EXT-X-STREAM-INF:BANDWIDTH=1280000,RESOLUTION=640x360,CODECS="avc1.64001f, mp4a.40.2"
            low/index.m3u8
            #EXT-X-STREAM-INF:AVERAGE-BANDWIDTH=1,BANDWIDTH=5000000
            high/index.m3u8
            """
        #expect(MultivariantPlaylist.matches(text))
        let variants = try MultivariantPlaylist(text).variants
        #expect(variants.map(\.uri) == ["low/index.m3u8", "high/index.m3u8"])
        #expect(variants.map(\.bandwidth) == [1_280_000, 5_000_000])
        #expect(variants[0].resolution == Resolution(width: 640, height: 360))
        #expect(variants[0].codecs == ["avc1.64001f", "mp4a.40.2"])
        #expect(variants[1].codecs == [])
    }

    @Test(
        "A damaged list of variants is refused",
        arguments: [
            "#EXT-X-STREAM-INF:\nx", "#EXT-X-STREAM-INF:BANDWIDTH=0\nx", "#EXT-X-STREAM-INF:BANDWIDTH=\"1\nx",
            "#EXT-X-STREAM-INF:=1\nx", "x", "",
        ]
    )
    func damagedVariants(text: String) {
        #expect(throws: PlaylistError.self) { try MultivariantPlaylist("#EXTM3U\n" + text) }
    }

    @Test(
        "The height of a view limits the bandwidth to that of the matching quality",
        arguments: [
            (100, 400_000), (180, 400_000), (200, 400_000), (240, 900_000), (400, 900_000), (500, nil),
            (2000, nil),
        ] as [(Int, Int?)]
    )
    func quality(height: Int, bandwidth: Int?) throws {
        let playlist = try MultivariantPlaylist(
            """
            #EXTM3U
            #EXT-X-STREAM-INF:BANDWIDTH=4000000,RESOLUTION=1280x720
            high.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=300000,RESOLUTION=320x180
            low.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=64000,CODECS="mp4a.40.2"
            audio.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=700000,AVERAGE-BANDWIDTH=400000,RESOLUTION=320x180
            low-2.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=640x360
            middle.m3u8
            """
        )
        #expect(playlist.bandwidth(forHeight: height) == bandwidth)
    }

    @Test("If the size of any quality is unknown, the height of a view sets no limit")
    func unknownSize() throws {
        let playlist = try MultivariantPlaylist(
            "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=2,RESOLUTION=320x180\nb.m3u8\n"
        )
        #expect(playlist.bandwidth(forHeight: 100) == nil)
    }
}
