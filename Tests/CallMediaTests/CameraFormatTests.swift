import Basics
import GStreamerKit
import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Choice of a camera format")
struct CameraFormatTests {
    private static func format(_ type: String, _ width: Int, _ height: Int, _ fps: Double) -> VideoFormat {
        VideoFormat(mediaType: type, widths: width...width, heights: height...height, fastest: fps)
    }

    /// The formats of a common USB 2 webcam.
    private static let webcam = [
        format("video/x-raw", 640, 480, 30), format("video/x-raw", 1280, 720, 10),
        format("video/x-raw", 1920, 1080, 5),
        format("image/jpeg", 640, 480, 30), format("image/jpeg", 1280, 720, 30),
        format("image/jpeg", 1920, 1080, 30), format("video/x-h264", 1920, 1080, 30),
    ]

    private static func best(_ formats: [VideoFormat], _ size: String? = nil, _ rate: Int? = nil)
        -> CameraFormat?
    {
        CameraFormat.choices(among: formats, size: size.flatMap { Resolution($0) }, rate: rate).first
    }

    private static func camera(_ coding: CameraFormat.Coding, _ size: String, _ rate: Int) -> CameraFormat? {
        Resolution(size).map { CameraFormat(coding: coding, size: $0, rate: rate) }
    }

    @Test("Compressed 720p is preferred by default if uncompressed frames are too slow")
    func defaults() { #expect(Self.best(Self.webcam) == Self.camera(.motionJPEG, "1280x720", 30)) }

    @Test("Uncompressed frames are preferred to compressed ones if both are fast enough")
    func cheapest() { #expect(Self.best(Self.webcam, "640x480") == Self.camera(.raw, "640x480", 30)) }

    @Test("Uncompressed frames are preferred if they reach the requested frame rate")
    func slow() { #expect(Self.best(Self.webcam, "1280x720", 10) == Self.camera(.raw, "1280x720", 10)) }

    @Test("A requested size takes precedence over the frame rate")
    func named() {
        let formats = [Self.format("video/x-raw", 1600, 1200, 5), Self.format("video/x-raw", 640, 480, 30)]
        #expect(Self.best(formats, "1600x1200") == Self.camera(.raw, "1600x1200", 5))
        #expect(Self.best(formats) == Self.camera(.raw, "640x480", 30))
    }

    @Test("An unavailable size is replaced by the nearest one, preferably a larger one")
    func nearest() {
        #expect(Self.best(Self.webcam, "900x600") == Self.camera(.motionJPEG, "1280x720", 30))
        #expect(Self.best(Self.webcam, "1280x720")?.size == Resolution("1280x720"))
        #expect(Self.best(Self.webcam, "3840x2160")?.size == Resolution("1920x1080"))
    }

    @Test("H.264 is chosen if the camera has no other encoding")
    func h264Only() {
        let formats = [Self.format("video/x-h264", 1280, 720, 30)]
        #expect(Self.best(formats) == Self.camera(.h264, "1280x720", 30))
    }

    @Test("The chosen format is followed by the best formats of other encodings, in case the driver fails")
    func fallback() {
        let choices = CameraFormat.choices(among: Self.webcam, size: nil, rate: nil)
        #expect(choices.map(\.coding) == [.motionJPEG, .h264, .raw])
    }

    @Test("Sizes within a range are available, and an unknown frame rate is assumed to suffice")
    func ranges() {
        let range = VideoFormat(mediaType: "video/x-raw", widths: 1...4096, heights: 1...4096, fastest: 0)
        #expect(Self.best([range], "642x362", 25) == Self.camera(.raw, "642x362", 25))
    }

    @Test("A camera with unknown encodings or without formats yields no format")
    func nothing() {
        #expect(Self.best([]) == nil)
        #expect(Self.best([Self.format("video/x-bayer", 640, 480, 30)]) == nil)
    }

    @Test(
        "Numbers, lists and ranges in a camera's caps are parsed",
        arguments: [
            ("video/x-raw,format=YUY2,width=640,height=480,framerate=30/1", 640...640, 30.0),
            ("video/x-raw,width=[16,1920],height=[16,1080],framerate=[0/1,60/1]", 16...1920, 60),
            ("image/jpeg,width={320,640},height=480,framerate={30/1,15/1}", 320...640, 30),
            ("image/jpeg,width=640,height=480", 640...640, 0),
        ]
    )
    func caps(_ text: String, _ widths: ClosedRange<Int>, _ fastest: Double) throws {
        let formats = try Caps(text).videoFormats
        #expect(formats.map(\.widths) == [widths])
        #expect(formats.map(\.fastest) == [fastest])
    }

    @Test("A resolution is parsed from two even numbers", arguments: [("1280x720", true), ("640X360", true)])
    func sizes(_ text: String, _ isSize: Bool) { #expect((Resolution(text) != nil) == isSize) }

    @Test(
        "Malformed, odd and out-of-range resolutions are rejected",
        arguments: ["", "x", "640", "640x", "641x360", "0x0", "-640x360", "640x360x2", "99999x2"]
    )
    func noSizes(_ text: String) { #expect(Resolution(text) == nil) }
}
