import Basics
import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("URLs and paths of media sources")
struct MediaURLTests {
    @Test(
        "A URL is shown without user, query and fragment",
        arguments: [
            ("http://a.example/b/c.mp4?token=1", "http://a.example/b/c.mp4"),
            ("rtsp://ann:secret@10.0.0.1:554/cam", "rtsp://10.0.0.1:554/cam"),
            ("https://ann:p@ss@a/b@c", "https://a/b@c"), ("http://a", "http://a"),
            ("http://a?user@b", "http://a"), ("http://a/b#c", "http://a/b"),
        ]
    )
    func nameOfURL(_ url: String, _ name: String) { #expect(MediaURL(url: url).name == name) }

    @Test("A failure message does not reveal the secret in a URL")
    func failure() {
        let url = "rtsp://ann:secret@a/cam"
        guard case .source(let message, let hint) = MediaURL(url: url).failure("no way to \(url)")
        else {
            return
        }
        #expect(
            message == "rtsp://a/cam cannot be played: no way to rtsp://a/cam" && !hint.contains("secret")
        )
    }

    @Test("RTSP and HTTP are distinguished by scheme, case-insensitively")
    func kinds() {
        #expect(MediaURL(url: "RTSPS://a").pipeline == "sources/rtsp")
        #expect(MediaURL(url: "https://a").pipeline == "sources/http")
    }

    @Test("The short name is the last part of a file's path, or a URL without its query")
    func names() {
        #expect(MediaURL.file("/a/b.mp4").shortName == "b.mp4")
        #expect(MediaURL(url: "http://a/b.mp4?x").shortName == "http://a/b.mp4")
    }
}
