import CGLib
import CGStreamer
import GLibKit
import Synchronization
import Testing

@testable import GStreamerKit

@Suite("Samples between pipelines", .timeLimit(.minutes(4)))
@MediaActor
struct SampleTests {
    /// A pipeline of twenty buffers with random sizes and contents, on average 20 ms apart.
    private static let source =
        "fakesrc num-buffers=20 sizetype=random sizemin=1 sizemax=4000 filltype=random format=time "
        + "datarate=100000 ! application/x-test ! appsink name=out sync=false"

    private struct Copy: Equatable {
        var bytes: [UInt8]
        var time: UInt64?
    }

    private final class Collector: Sendable {
        let copies = Mutex<[Copy]>([])
        func add(_ sample: MediaSample) {
            let copy = Copy(bytes: sample.withBytes { Array($0) } ?? [], time: sample.presentationTime)
            copies.withLock { $0.append(copy) }
        }
    }

    @Test("Bytes and times pass unchanged from an appsink through a hub to an appsrc")
    func passage() async throws {
        let (first, second) = (
            try Pipeline(parsing: Self.source, name: "first"),
            try Pipeline(parsing: "appsrc name=in format=time ! appsink name=out sync=false", name: "second")
        )
        let hub = AppSink(try #require(first.element(named: "out"))).hub
        let input = AppSource(try #require(second.element(named: "in")))
        let output = AppSink(try #require(second.element(named: "out"))).hub
        let (sent, received) = (Collector(), Collector())
        _ = hub.attach { sent.add($0) }
        _ = hub.attach { input.push($0) }
        _ = output.attach { received.add($0) }
        try second.setState(.playing)
        try first.setState(.playing)
        _ = await first.messages.collect { $0 == .endOfStream }
        input.endOfStream()
        _ = await second.messages.collect { $0 == .endOfStream }
        let copies = sent.copies.withLock { $0 }
        #expect(copies.count == 20)
        #expect(copies == received.copies.withLock { $0 })
    }

    @Test("The samples of a pipeline that starts late have timestamps of the shared clock")
    func sharedTime() async throws {
        let pipeline = try Pipeline(parsing: Self.source, name: "late")
        let time = PipelineTime(pipeline)
        let hub = AppSink(try #require(pipeline.element(named: "out")), offset: { time.offset }).hub
        let collector = Collector()
        _ = hub.attach { collector.add($0) }
        let start = MediaClock.shared.now
        pipeline.follow(.shared, from: start)
        try pipeline.setState(.playing)
        _ = await pipeline.messages.collect { $0 == .endOfStream }
        let times = collector.copies.withLock { $0.compactMap(\.time) }
        #expect(times.first == start)
        #expect(times == times.sorted())
        #expect(time.offset == start)
    }

    @Test("Samples are released with their pipelines")
    func released() async throws {
        final class Weak: Sendable {
            let samples = Mutex<[@Sendable () -> Bool]>([])
        }
        let weak = Weak()
        do {
            let pipeline = try Pipeline(parsing: Self.source, name: "released")
            let hub = AppSink(try #require(pipeline.element(named: "out"))).hub
            _ = hub.attach { sample in
                weak.samples.withLock { $0.append { [weak sample] in sample == nil } }
            }
            try pipeline.setState(.playing)
            _ = await pipeline.messages.collect { $0 == .endOfStream }
            try pipeline.setState(.null)
        }
        let checks = weak.samples.withLock { $0 }
        #expect(checks.count == 20)
        #expect(checks.allSatisfy { $0() })
    }

    @Test("A consumer that needs a keyframe receives no samples before the first one")
    func keyframes() throws {
        let hub = SampleHub()
        let (all, decodable) = (Collector(), Collector())
        _ = hub.attach { all.add($0) }
        let attachment = hub.attach(fromKeyframe: true) { decodable.add($0) }
        for isKeyframe in [false, false, true, false] {
            hub.publish(try Self.sample(bytes: [isKeyframe ? 1 : 0], isKeyframe: isKeyframe))
        }
        attachment.detach()
        hub.publish(try Self.sample(bytes: [2], isKeyframe: true))
        #expect(all.copies.withLock { $0.map(\.bytes) } == [[0], [0], [1], [0], [2]])
        #expect(decodable.copies.withLock { $0.map(\.bytes) } == [[1], [0]])
    }

    @Test("A full appsrc refuses every sample, even a keyframe")
    func overfull() throws {
        let pipeline = try Pipeline(
            parsing: "appsrc name=in format=time max-bytes=2 ! fakesink",
            name: "stopped"
        )
        let input = AppSource(try #require(pipeline.element(named: "in")))
        #expect(input.push(try Self.sample(bytes: [1], isKeyframe: true)))
        #expect(input.push(try Self.sample(bytes: [2], isKeyframe: false)))
        #expect(!input.push(try Self.sample(bytes: [3], isKeyframe: false)))
        #expect(!input.push(try Self.sample(bytes: [4], isKeyframe: true)))
    }

    @Test("Shifting or replacing a sample creates a copy and leaves the original unchanged")
    func copies() throws {
        let sample = try Self.sample(bytes: [1, 2, 3], isKeyframe: true, time: 5)
        let shifted = sample.shifted(to: 7, decodeTime: nil)
        let silent = sample.replacing(with: [9])
        #expect(sample.presentationTime == 5)
        #expect((shifted.presentationTime, shifted.decodeTime) == (7, nil))
        #expect(silent.presentationTime == 5)
        #expect(sample.withBytes { Array($0) } == [1, 2, 3])
        #expect(shifted.withBytes { Array($0) } == [1, 2, 3])
        #expect(silent.withBytes { Array($0) } == [9])
        #expect(silent.size == 1)
    }

    @Test("An appsink can request a keyframe from the elements upstream")
    func keyframeRequest() async throws {
        let pipeline = try Pipeline(
            parsing: "fakesrc ! identity name=maker ! appsink name=out sync=false async=false",
            name: "stream"
        )
        let (requests, request) = AsyncStream.makeStream(of: Void.self)
        let maker = try #require(pipeline.element(named: "maker")?.pad("src"))
        maker.onForceKeyUnit { request.yield() }
        let sink = AppSink(try #require(pipeline.element(named: "out")))
        try pipeline.setState(.playing)
        sink.requestKeyframe()
        for await _ in requests { break }
        try pipeline.setState(.null)
    }

    static func sample(bytes: [UInt8], isKeyframe: Bool = true, time: UInt64 = 0) throws -> MediaSample {
        let caps = try Caps("application/x-test")
        let buffer = try #require(gst_buffer_new_allocate(nil, gsize(bytes.count), nil))
        gst_buffer_fill(buffer, 0, bytes, gsize(bytes.count))
        buffer.pointee.pts = GstClockTime(time)
        if !isKeyframe { gst_buffer_set_flags(buffer, GST_BUFFER_FLAG_DELTA_UNIT) }
        return MediaSample(taking: buffer, caps: caps)
    }
}
