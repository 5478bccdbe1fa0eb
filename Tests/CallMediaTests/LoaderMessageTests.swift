import Basics
import Testing

@testable import MediaKit

@Suite("The messages between a call and the process that loads its source", .timeLimit(.minutes(4)))
struct LoaderMessageTests {
    @Test("Every request is encoded on one line and decoded unchanged")
    func requests() throws {
        var settings = SourceSettings()
        (settings.start, settings.isPlayedOnce) = (.milliseconds(1500), true)
        let setup = LoaderSetup(
            url: "https://example.org/a “film”\n.mp4",
            settings: settings,
            kinds: [.video]
        )
        for request in [LoaderRequest.open(setup), .play, .rest] {
            let line = try request.line()
            #expect(line.firstIndex(of: 10) == line.count - 1)
            #expect(try LoaderRequest(line: line.dropLast()) == request)
        }
    }

    private static func media(_ tracks: [LoadedMedia.Track], reason: String? = nil) -> LoadedMedia {
        LoadedMedia(
            tracks: tracks,
            video: .untouched,
            audio: .encoded(reason: "AAC is transcoded"),
            reason: reason
        )
    }

    private static let video = LoadedMedia.Track(
        kind: .video,
        format: .encoded(.h264, h264: H264Stream(.high, .level4_1)),
        mode: VideoMode(width: 1920, height: 1080, rate: 25)
    )
    private static let audio = LoadedMedia.Track(kind: .audio, format: .raw)

    @Test("Every report is encoded on one line and decoded unchanged")
    func reports() throws {
        let failures: [MediaFailure] = [
            .source(message: "line\nfeed", hint: "?"), .missingPlugin(["a", "b"]),
            .recording(message: "m", hint: "h"), .pipeline(element: "e", message: "m"),
        ]
        let reports: [LoaderReport] =
            failures.flatMap { [.refused($0), .failed($0)] } + [
                .opened(Self.media([Self.video, Self.audio], reason: "no audio")), .warned("w"),
                .ended("film.mp4"), .alive,
            ]
        for report in reports {
            let line = try report.line()
            #expect(line.firstIndex(of: 10) == line.count - 1)
            #expect(try LoaderReport(line: line.dropLast()) == report)
            #expect(report.isPlausible && report.shortened == report)
        }
    }

    private static let long = "e" + String(repeating: "\u{301}", count: 2000)
    private static let wrong: [LoaderReport] = [
        .opened(media([video, video])),
        .opened(media([.init(kind: .audio, format: .encoded(.vp8, h264: nil))])),
        .opened(media([.init(kind: .video, format: .encoded(.vp8, h264: H264Stream(.main)))])),
    ]
    private static let tooLong: [LoaderReport] = [
        .opened(media([video], reason: long)), .warned(long), .ended(long),
        .refused(.source(message: long, hint: long)), .failed(.pipeline(element: long, message: long)),
        .failed(.missingPlugin([long])), .failed(.missingPlugin(Array(repeating: "a", count: 1000))),
        .failed(.recording(message: "", hint: long)),
    ]

    @Test("Reports with values out of range are implausible", arguments: wrong + tooLong)
    func implausible(_ report: LoaderReport) { #expect(!report.isPlausible) }

    @Test("A line with 1,000 consecutive combining marks is refused unless the report was shortened")
    func harmfulLines() throws {
        let marks = String(repeating: "\u{301}", count: 1000)
        let escapes = String(repeating: #"\u0301"#, count: 1000)
        #expect(!ReportedText.isHarmless(Array("{\"alive\":{},\"e\(marks)\":0}".utf8)))
        #expect(!ReportedText.isHarmless(Array("{\"alive\":{},\"e\(escapes)\":0}".utf8)))
        let report = LoaderReport.warned("line\nfeed \u{1} “é” e\(marks)").shortened
        #expect(try ReportedText.isHarmless(report.line()))
    }

    @Test("A report with a frame size out of range is implausible")
    func sizes() throws {
        let line = try LoaderReport.opened(Self.media([Self.video])).line()
        let text = String(decoding: line.dropLast(), as: UTF8.self)
        for size in ["0", "-1", "65537", "9223372036854775807"] {
            let changed = text.replacing("1920", with: size)
            #expect(try !LoaderReport(line: Array(changed.utf8)).isPlausible, "\(size)")
        }
    }

    @Test("Overlong texts in a report are shortened to a plausible length", arguments: tooLong)
    func shortened(_ report: LoaderReport) {
        #expect(report.shortened.isPlausible)
        #expect(report.shortened.shortened == report.shortened)
    }
}
