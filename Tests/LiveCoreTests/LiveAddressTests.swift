import LiveCore
import Testing

@Suite("Addresses of live streams")
struct LiveAddressTests {
    @Test(
        "A text is parsed as a URL, a playback ID or a file path",
        arguments: [
            ("https://a.example/x.m3u8?token=1", LiveAddress.url("https://a.example/x.m3u8?token=1")),
            (" HTTP://a.example \n", .url("HTTP://a.example")),
            (
                "DS00Spx1CV902MCtPj5WknGlR102V5HFkDe",
                .url("https://b.example/v/DS00Spx1CV902MCtPj5WknGlR102V5HFkDe.m3u8")
            ),
            ("demo", .url("https://b.example/v/demo.m3u8")),
            ("a-b_c", .url("https://b.example/v/a-b_c.m3u8")),
            ("film.mp4", .file("film.mp4")), ("./demo", .file("./demo")), ("/a b/c", .file("/a b/c")),
        ]
    )
    func kinds(text: String, address: LiveAddress) throws {
        for base in ["https://b.example/v", "https://b.example/v/"] {
            #expect(try LiveAddress(text, base: base) == address)
        }
    }

    @Test(
        "An address that cannot be played is refused",
        arguments: [
            "", "  ", "rtsp://a.example/x", "://x", "https://", "https:///x", "https://a b/x", "ab cd", "ä",
            "a%20",
            "https://user@", "https://a.example/\u{7F}", "/a\0b",
            "https://a.example/" + String(repeating: "x", count: 2048),
        ]
    )
    func refusals(text: String) {
        #expect(throws: LiveFailure.self) { try LiveAddress(text) }
    }
}
