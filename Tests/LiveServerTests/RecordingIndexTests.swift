import LiveCore
import Testing

@testable import LiveServer

@Suite("The index of a recording")
struct RecordingIndexTests {
    private static let text = """
        file 700
        700 5000 2000 1700000000000
        5700 5100 2000 1700000002000
        10800 4900 2500 1700000004000
        15700 100 1000 1700000006500
        file 710
        710 300 500 1700000020000

        """

    @Test("A playlist joins fragments, and names the header of each file")
    func playlist() throws {
        let index = RecordingIndex(Array(Self.text.utf8))
        #expect(index.milliseconds == 8000)
        let text = try #require(index.playlist("ID"))
        #expect(
            text == """
                #EXTM3U
                #EXT-X-VERSION:7
                #EXT-X-TARGETDURATION:7
                #EXT-X-MEDIA-SEQUENCE:0
                #EXT-X-PLAYLIST-TYPE:VOD
                #EXT-X-INDEPENDENT-SEGMENTS
                #EXT-X-MAP:URI="ID/0.mp4",BYTERANGE="700@0"
                #EXT-X-PROGRAM-DATE-TIME:2023-11-14T22:13:20.000Z
                #EXTINF:6.500000,
                #EXT-X-BYTERANGE:15000@700
                ID/0.mp4
                #EXTINF:1.000000,
                #EXT-X-BYTERANGE:100@15700
                ID/0.mp4
                #EXT-X-DISCONTINUITY
                #EXT-X-MAP:URI="ID/1.mp4",BYTERANGE="710@0"
                #EXT-X-PROGRAM-DATE-TIME:2023-11-14T22:13:40.000Z
                #EXTINF:0.500000,
                #EXT-X-BYTERANGE:300@710
                ID/1.mp4
                #EXT-X-ENDLIST

                """
        )
        let parsed = try MediaPlaylist(text)
        #expect(parsed.segments.count == 3 && parsed.isEnded)
    }

    @Test("An index that was cut off at any byte has the complete lines before")
    func cut() {
        let bytes = Array(Self.text.utf8)
        let whole = RecordingIndex(bytes).files.flatMap(\.fragments)
        for count in 0..<bytes.count {
            let lines = bytes.prefix(count).count { $0 == UInt8(ascii: "\n") }
            let files = lines > 5 ? 2 : min(lines, 1)
            let found = RecordingIndex(Array(bytes.prefix(count))).files
            #expect(found.count == files)
            #expect(found.flatMap(\.fragments) == Array(whole.prefix(lines - files)))
        }
    }

    @Test("A long recording has longer segments in its playlist, which players accept")
    func long() throws {
        let lines = (0..<100_000).map { "\(700 + $0 * 10) 10 1000 \(1_700_000_000_000 + $0 * 1000)\n" }
        let index = RecordingIndex(Array(("file 700\n" + lines.joined()).utf8))
        let text = try #require(index.playlist(String(repeating: "x", count: 40)))
        #expect(text.utf8.count < MediaPlaylist.maximumLength)
        #expect(try MediaPlaylist(text).duration == .seconds(100_000))
    }

    @Test("Fragments that a file lacks are removed")
    func trimmed() {
        var index = RecordingIndex(Array(Self.text.utf8))
        index.trim(file: 0, to: 10_799)
        #expect(index.files[0].fragments.map(\.length) == [5000] && index.milliseconds == 2500)
    }

    @Test("A recording without a fragment has no playlist", arguments: ["", "file 7\n", "7 7 7 7\n", "x\n"])
    func empty(text: String) { #expect(RecordingIndex(Array(text.utf8)).playlist("ID") == nil) }
}
