import CGStreamer
import GLibKit
import Glibc
import Synchronization
import Testing

@testable import GStreamerKit

@Suite("Samples in a pipe between processes", .timeLimit(.minutes(4)))
@MediaActor
struct SamplePipeTests {
    private let pipe: PipeReader
    private let end: Int32

    init() throws { (pipe, end) = try PipeReader.pipe() }

    private struct Copy: Equatable {
        var bytes: [UInt8]
        var format: String
        var times: [UInt64?]
        var isKeyframe: Bool

        init(_ sample: MediaSample) {
            bytes = sample.withBytes { Array($0) } ?? []
            format = SampleFormat.text(of: sample.caps)
            times = [sample.presentationTime, sample.decodeTime, sample.duration]
            isKeyframe = sample.isKeyframe
        }
    }

    /// Reads everything in the pipe, on its thread.
    private func received<Value: Sendable>(
        _ mediaTypes: [String],
        _ value: @escaping @Sendable (Int, MediaSample) -> Value
    ) async -> [Value] {
        let values = Mutex<[Value]>([])
        let finished = pipe.run(threadName: "test") { pipe in
            var reader = SampleReader(pipe, mediaTypes: mediaTypes)
            while let (stream, sample) = reader.next() {
                let one = value(stream, sample)
                values.withLock { $0.append(one) }
            }
        }
        for await _ in finished {}
        return values.withLock { $0 }
    }

    /// Writes the samples of a pipeline, one stream after the other, and returns what `value` makes of each.
    private func write<Value: Sendable>(
        _ description: String,
        as stream: UInt32 = 0,
        _ value: @escaping @Sendable (MediaSample) -> Value
    ) async throws -> [Value] {
        let pipeline = try Pipeline(parsing: description + " ! appsink name=out sync=false", name: "maker")
        let values = Mutex<[Value]>([])
        let writer = SampleWriter(end) {}
        _ = AppSink(try #require(pipeline.element(named: "out"))).hub.attach { sample in
            let one = value(sample)
            values.withLock { $0.append(one) }
            writer.write(sample, of: stream)
        }
        try pipeline.setState(.playing)
        _ = await pipeline.messages.collect { $0 == .endOfStream }
        try pipeline.setState(.null)
        return values.withLock { $0 }
    }

    @Test("Bytes, caps, times and keyframe flags of two streams arrive unchanged")
    func passage() async throws {
        async let received = received(["video/x-h264", "audio/x-opus"]) { ($0, Copy($1)) }
        let video = try await write(
            "videotestsrc num-buffers=40 ! video/x-raw,width=320,height=240,framerate=30/1 "
                + "! x264enc key-int-max=10 bframes=2 ! h264parse "
                + "! video/x-h264,stream-format=byte-stream,alignment=au",
            Copy.init
        )
        let audio = try await write(
            "audiotestsrc num-buffers=40 ! audio/x-raw,rate=48000,channels=2 ! opusenc",
            as: 1,
            Copy.init
        )
        close(end)
        let copies = await received
        #expect(video.count == 40 && audio.count >= 40)
        #expect(copies.filter { $0.0 == 0 }.map(\.1) == video)
        #expect(copies.filter { $0.0 == 1 }.map(\.1) == audio)
        #expect(Set(video.map(\.isKeyframe)) == [true, false])
    }

    private struct Planes: Equatable {
        var rows: [[UInt8]]

        init?(_ sample: MediaSample) {
            guard let frame = MappedFrame(sample) else { return nil }
            let widths = [frame.width, (frame.width + 1) / 2, (frame.width + 1) / 2]
            rows = zip(frame.planes, widths).flatMap { plane, width in
                stride(from: 0, to: plane.bytes.count, by: plane.stride).map {
                    Array(plane.bytes[$0..<$0 + width])
                }
            }
        }
    }

    @Test(
        "Decoded frames arrive unchanged, regardless of the decoder's memory layout",
        arguments: [
            ("x264enc ! avdec_h264", 322, 242), ("vp8enc deadline=1 ! vp8dec", 33, 17), ("identity", 33, 17),
        ]
    )
    func frames(_ decoder: String, _ width: Int, _ height: Int) async throws {
        async let received = received(["video/x-raw"]) { _, sample in
            (Planes(sample), gst_buffer_get_video_meta(sample.buffer) == nil)
        }
        let frames = try await write(
            "videotestsrc num-buffers=3 ! video/x-raw,format=I420,width=\(width),height=\(height) ! \(decoder)",
            Planes.init
        )
        close(end)
        let copies = await received
        #expect(frames.count == 3 && !frames.contains(nil))
        #expect(copies.map(\.0) == frames)
        #expect(copies.allSatisfy { $0.1 })
    }

    /// Creates a message as `SampleWriter` writes it.
    private nonisolated static func message(
        stream: UInt32 = 0,
        isFormat: UInt32,
        size: Int? = nil,
        _ bytes: [UInt8]
    ) -> [UInt8] {
        let words = [stream, isFormat, 0, UInt32(size ?? bytes.count)]
        return words.flatMap { word in withUnsafeBytes(of: word) { Array($0) } }
            + Array(repeating: 255, count: 24) + bytes
    }

    private nonisolated static func format(_ text: String, stream: UInt32 = 0) -> [UInt8] {
        message(stream: stream, isFormat: 1, Array(text.utf8))
    }

    private nonisolated static let frame = message(isFormat: 0, Array(repeating: 0, count: 384))
    private nonisolated static let good = format("format=I420\nwidth=16\nheight=16\nframerate=30/1")

    /// The invalid beginning of a stream.
    struct Refused: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var mediaType = "video/x-raw"
        var bytes: [UInt8]

        init(_ what: String, of mediaType: String = "video/x-raw", bytes: [UInt8]) {
            (testDescription, self.mediaType, self.bytes) = (what, mediaType, bytes)
        }

        init(_ what: String, format: String) { self.init(what, bytes: SamplePipeTests.format(format)) }
    }

    nonisolated static let refused: [Refused] = [
        Refused("a sample before its format", bytes: message(isFormat: 0, [1, 2, 3])),
        Refused("a stream that does not exist", bytes: format("width=16", stream: 1)),
        Refused("an unknown field", format: "format=I420\nwidth=16\nheight=16\nzzzz=1"),
        Refused("a field that is named twice", format: "format=I420\nwidth=16\nwidth=16\nheight=16"),
        Refused("a range", format: "format=I420\nwidth=[1,9]\nheight=16\nframerate=30/1"),
        Refused("a list in a text", format: "format={I420}\nwidth=16\nheight=16\nframerate=30/1"),
        Refused("a negative width", format: "format=I420\nwidth=-128\nheight=2\nframerate=30/1"),
        Refused("a width of 0", format: "format=I420\nwidth=0\nheight=16\nframerate=30/1"),
        Refused("a large frame", format: "format=I420\nwidth=8193\nheight=16\nframerate=30/1"),
        Refused("another raw format", format: "format=GRAY8\nwidth=16\nheight=16\nframerate=30/1"),
        Refused("a rate without a denominator", format: "format=I420\nwidth=16\nheight=16\nframerate=30/0"),
        Refused("a text beyond ASCII", format: "format=I420\nwidth=16\nheight=16\ncolorimetry=é"),
        Refused(
            "a long format",
            of: "video/x-vp8",
            bytes: message(isFormat: 1, Array(repeating: 10, count: 2049)) + frame
        ),
        Refused(
            "a large sample",
            of: "video/x-vp8",
            bytes: format("") + message(isFormat: 0, size: 65 << 20, [])
        ),
        Refused("an empty packet", of: "audio/x-opus", bytes: format("") + message(isFormat: 0, [])),
        Refused(
            "H.264 with lengths",
            of: "video/x-h264",
            bytes: format("stream-format=avc\nalignment=au") + frame
        ),
        Refused(
            "H.264 in single units",
            of: "video/x-h264",
            bytes: format("stream-format=byte-stream\nalignment=nal") + frame
        ),
        Refused(
            "a frame that is too small",
            bytes: good + message(isFormat: 0, Array(repeating: 0, count: 383))
        ),
        Refused(
            "a frame that is too large",
            bytes: good + message(isFormat: 0, Array(repeating: 0, count: 385))
        ),
        Refused("too many changes of the format", bytes: (0...3000).flatMap { _ in good } + frame),
    ]

    @Test("Invalid data ends the reader", arguments: refused)
    func refusals(_ refused: Refused) async {
        let result = Mutex<(count: Int, isAtEnd: Bool)>((0, true))
        let finished = pipe.run(threadName: "reader") { pipe in
            var reader = SampleReader(pipe, mediaTypes: [refused.mediaType])
            while reader.next() != nil { result.withLock { $0.count += 1 } }
            result.withLock { $0.isAtEnd = reader.isAtEnd }
            // The writer may still wait for a reader.
            var byte: UInt8 = 0
            while withUnsafeMutableBytes(of: &byte, pipe.fill) {}
        }
        async let written: Void = Self.writeAll(refused.bytes + Self.good + Self.frame, to: end)
        for await _ in finished {}
        await written
        #expect(result.withLock { $0.count } == 0)
        #expect(!result.withLock { $0.isAtEnd })
    }

    @concurrent private nonisolated static func writeAll(_ bytes: [UInt8], to end: Int32) async {
        _ = bytes.withUnsafeBytes { $0.writeAll(to: end) }
        close(end)
    }

    @Test("A raw frame with the size that its caps declare is accepted, and times out of range are removed")
    func accepted() async throws {
        async let received = received(["video/x-raw"]) { ($1.size, $1.presentationTime, $1.duration) }
        var late = Self.frame
        late.replaceSubrange(16..<24, with: Array(repeating: 0x7F, count: 8))
        _ = (Self.good + Self.frame + late).withUnsafeBytes { $0.writeAll(to: end) }
        close(end)
        let samples = await received
        #expect(samples.map(\.0) == [384, 384])
        #expect(samples.allSatisfy { $0.1 == nil && $0.2 == nil })
    }
}
