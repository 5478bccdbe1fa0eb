import CGLib
import CGStreamer
import GLibKit
import Synchronization
import Testing

@testable import GStreamerKit

@Suite("Bypass of a GStreamer queue", .timeLimit(.minutes(4)))
@MediaActor
struct QueueBypassTests {
    private let pipeline: Pipeline
    private let source: AppSource
    private let (input, output): (Pad, Pad)
    private let (entries, arrivals): (AsyncStream<UInt>, AsyncStream<(size: Int, thread: UInt)>)

    init() throws {
        pipeline = try Pipeline(
            parsing: "appsrc name=in format=time ! queue name=queue "
                + "! appsink name=out sync=false async=false",
            name: "bypass"
        )
        source = AppSource(try #require(pipeline.element(named: "in")))
        let queue = try #require(pipeline.element(named: "queue"))
        (input, output) = (try #require(queue.pad("sink")), try #require(queue.pad("src")))
        let (entries, entry) = AsyncStream.makeStream(of: UInt.self)
        let (arrivals, arrival) = AsyncStream.makeStream(of: (size: Int, thread: UInt).self)
        (self.entries, self.arrivals) = (entries, arrivals)
        input.onBuffer { _ in entry.yield(Self.thread) }
        let hub = AppSink(try #require(pipeline.element(named: "out"))).hub
        _ = hub.attach { arrival.yield(($0.size, Self.thread)) }
        input.bypassQueue(to: output)
        try pipeline.setState(.playing)
    }

    private nonisolated static var thread: UInt { UInt(bitPattern: g_thread_self()) }

    private func push(bytes: Int) throws {
        let buffer = try #require(gst_buffer_new_allocate(nil, gsize(bytes), nil))
        source.push(MediaSample(taking: buffer, caps: try Caps("application/x-test")))
    }

    @Test("After the first buffer, buffers bypass an empty queue on the pushing thread")
    func bypass() async throws {
        var (entries, arrivals) = (entries.makeAsyncIterator(), arrivals.makeAsyncIterator())
        for size in 1...5 {
            try push(bytes: size)
            let (pushing, arrived) = (await entries.next(), await arrivals.next())
            #expect(arrived?.size == size)
            #expect((arrived?.thread == pushing) == (size > 1))
        }
        try pipeline.setState(.null)
    }

    @Test("A blocked source pad of the queue does not block the pushing thread")
    func blocked() async throws {
        var (entries, arrivals) = (entries.makeAsyncIterator(), arrivals.makeAsyncIterator())
        try push(bytes: 1)
        #expect(await arrivals.next()?.size == 1)
        output.addProbe(GST_PAD_PROBE_TYPE_BLOCK, GST_PAD_PROBE_TYPE_BUFFER) { _, _ in GST_PAD_PROBE_OK }
        for _ in 2...3 { try push(bytes: 2) }
        // The third buffer enters the queue only if pushing the second one did not block.
        for _ in 1...3 { #expect(await entries.next() != nil) }
        try pipeline.setState(.null)
    }
}
