import Basics
import CallCore
import Foundation
import GStreamerKit
import Synchronization
import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Trials of encoders before they are used", .timeLimit(.minutes(4)))
struct EncoderTests {
    /// Returns the project's templates with the given hardware encoders, and the folder that holds them.
    private static func library(_ hardware: [String: String]) throws -> (PipelineLibrary, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let directory = folder.path("pipelines")
        try FileManager.default.copyItem(atPath: Project.library.directory, toPath: directory)
        let own = "\(directory)/encoders/hardware"
        try FileManager.default.removeItem(atPath: own)
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        for (name, text) in hardware {
            try text.write(toFile: "\(own)/\(name).pipeline", atomically: true, encoding: .utf8)
        }
        return (PipelineLibrary(directory: directory), folder)
    }

    private static func description(_ element: String) -> String {
        """
        appsrc name=source format=time ! decodebin ! videoconvert ! video/x-raw,format=I420 ! \(element)
            ! appsink name=output sync=false async=false
        """
    }

    private static let works = description("x264enc name=encoder tune=zerolatency speed-preset=ultrafast")
    /// An encoder that is registered but fails on the first frame.
    private static let fails = description("identity error-after=1 ! x264enc name=encoder tune=zerolatency")
    private static let isAbsent = description("nosuch264enc name=encoder")
    private static let saysNothing = description("identity drop-probability=1 ! x264enc name=encoder")

    private static func choice(_ mode: H264Format.PacketizationMode = .nonInterleaved) -> CodecPlan.Choice {
        CodecPlan.Choice(
            codec: .h264,
            payloadType: 96,
            h264: H264Format(.constrainedBaseline, .level3_1, mode)
        )
    }

    @Test("Each of our encoders produces a keyframe", arguments: Codec.allCases)
    func ours(_ codec: Codec) async {
        let trial = await EncoderTrial.run(codec.pipelineName, codec: codec, library: Project.library)
        #expect(trial.outcome == .works)
        #expect(trial.element?.isEmpty == false)
    }

    @Test("The first working hardware encoder in alphabetical order is used")
    func working() async throws {
        let (library, folder) = try Self.library(["h264-a": Self.isAbsent, "h264-b": Self.works, "vp8-c": ""])
        let complaints = Mutex<[String]>([])
        let selection = EncoderSelection(library: library) { text in complaints.withLock { $0.append(text) } }
        #expect(await selection.description(for: Self.choice()) == "hardware/h264-b")
        #expect(complaints.withLock { $0 }.isEmpty)  // a missing element is not an error
        withExtendedLifetime(folder) {}
    }

    @Test("A failing hardware encoder is skipped with a single warning", arguments: [fails, saysNothing])
    func failing(_ description: String) async throws {
        let (library, folder) = try Self.library(["h264-a": description])
        let complaints = Mutex<[String]>([])
        let selection = EncoderSelection(library: library) { text in complaints.withLock { $0.append(text) } }
        #expect(await selection.description(for: Self.choice()) == "h264")
        #expect(await selection.description(for: Self.choice()) == "h264")
        let reported = complaints.withLock { $0 }
        #expect(reported.count == 1)
        #expect(reported.first?.contains("hardware/h264-a is not used: ") == true)
        withExtendedLifetime(folder) {}
    }

    @Test("Our software encoder is used for peers that support only packetization mode 0")
    func singleUnits() async throws {
        let (library, folder) = try Self.library(["h264-a": Self.works])
        let selection = EncoderSelection(library: library) { _ in }
        #expect(await selection.description(for: Self.choice(.singleUnit)) == "h264-single")
        withExtendedLifetime(folder) {}
    }

    @Test("A survey of codecs reports each encoder that was tried, with the reason if it failed")
    func survey() async throws {
        let (library, folder) = try Self.library(["h264-a": Self.fails, "h264-b": Self.isAbsent])
        var supports: [Codec: CodecSupport] = [:]
        for await support in CodecSurvey(library: library).supports() { supports[support.codec] = support }
        #expect(Set(supports.keys) == Set(Codec.allCases))
        let h264 = try #require(supports[.h264])
        #expect(h264.tried.map(\.name) == ["hardware/h264-a", "hardware/h264-b", "h264"])
        #expect(h264.tried.map(\.works) == [false, false, true])
        #expect(h264.tried[1].reason == "there is no element nosuch264enc")
        #expect(h264.encoder == "x264enc")
        #expect(h264.decoder?.isEmpty == false)
        #expect(h264.passesThrough)
        #expect(supports[.pcmu]?.passesThrough == false)
        withExtendedLifetime(folder) {}
    }

    /// Returns the first keyframe that an encoder produces from frames of this size.
    private static func encoded(
        with name: String,
        limit: H264Level.Demand?,
        width: Int,
        height: Int
    ) async throws -> MediaSample {
        let (_, failures) = AsyncStream.makeStream(of: MediaFailure.self)
        let source = try await LiveSource(
            description:
                "videotestsrc is-live=true ! video/x-raw,format=I420,width=\(width),height=\(height),"
                + "framerate=30/1 ! appsink name=video",
            events: SourceEvents(failed: { failures.yield($0) })
        ) { .pipeline(element: "test", message: $0) }
        let encoder = try await EncoderPipeline(
            try #require(await source.tracks.first),
            with: name,
            bitrate: 1_000_000,
            limit: limit,
            library: Project.library,
            failures: failures
        )
        let (samples, sample) = AsyncStream.makeStream(of: MediaSample.self)
        let attachment = encoder.hub.attach(fromKeyframe: true) { sample.yield($0) }
        try await source.connectionIsUp()
        var first: MediaSample?
        for await sample in samples {
            first = sample
            break
        }
        attachment.detach()
        await source.close()
        await encoder.close()
        return try #require(first)
    }

    @Test("Video that exceeds the peer's H.264 level is scaled down to that level")
    func limited() async throws {
        let limit = H264Level.level2.demand
        let caps = try await Self.encoded(with: "h264", limit: limit, width: 1280, height: 720).caps
        let mode = try #require(VideoMode(caps))
        #expect(mode.demand.fits(limit))
        #expect(mode.width > 300 && mode.width * 9 / mode.height == 16, "\(mode)")
    }

    @Test("Without a level limit, frames keep their size, except that odd widths and heights become even")
    func unlimited() async throws {
        let caps = try await Self.encoded(with: "h264", limit: nil, width: 321, height: 241).caps
        #expect([caps.int("width"), caps.int("height")] == [320, 240])
    }

    @Test("In packetization mode 0, no H.264 slice is larger than an RTP packet")
    func smallSlices() async throws {
        let sample = try await Self.encoded(with: "h264-single", limit: nil, width: 640, height: 480)
        let units = sample.withBytes { bytes in
            Data(bytes).split(separator: [0, 0, 1]).map(\.count)
        }
        let largest = try #require(units?.max())
        #expect(sample.size > 1200)
        #expect(largest <= 1188, "\(largest)")  // 1200 without the RTP header
    }
}
