import CGStreamer
import GLibKit
import Testing

@testable import GStreamerKit

@Suite("The message stream of a pipeline's bus", .timeLimit(.minutes(4)))
@MediaActor
struct BusTests {
    private static func post(_ names: some Sequence<String>, on pipeline: Pipeline) {
        for name in names {
            let structure = gst_structure_new_empty(name)
            let source = pipeline.object.cast(to: GstObject.self)
            gst_element_post_message(pipeline.pointer, gst_message_new_element(source, structure))
        }
    }

    private static func hasPending(_ pipeline: Pipeline) -> Bool {
        guard let bus = gst_element_get_bus(pipeline.pointer) else { return false }
        defer { gst_object_unref(bus) }
        return gst_bus_have_pending(bus) != 0
    }

    @Test("Messages arrive in the order in which they were posted")
    func order() async throws {
        let pipeline = try Pipeline(name: "order")
        let names = (0..<500).map { "message-\($0)" }
        Self.post(names, on: pipeline)
        let heard = await pipeline.messages.collect { $0 == .element("message-499") }
        #expect(heard == names.map(BusMessage.element))
    }

    @Test("All messages of several threads arrive, and those of each thread arrive in order")
    func manyThreads() async throws {
        let pipeline = try Pipeline(name: "threads")
        await withTaskGroup { group in
            for thread in 0..<4 {
                group.addTask { await Self.post((0..<100).map { "t\(thread)-\($0)" }, on: pipeline) }
            }
        }
        var count = 0
        let heard = await pipeline.messages.collect { _ in
            count += 1
            return count == 400
        }
        for thread in 0..<4 {
            let own = heard.filter {
                if case .element(let name) = $0 { name.hasPrefix("t\(thread)-") } else { false }
            }
            #expect(own == (0..<100).map { .element("t\(thread)-\($0)") })
        }
    }

    @Test("An error message contains the element, the text and the debug information")
    func error() async throws {
        let pipeline = try Pipeline(
            parsing: "fakesrc num-buffers=1 ! identity name=culprit error-after=1 ! fakesink",
            name: "error"
        )
        try pipeline.setState(.playing)
        let heard = await pipeline.messages.collect { if case .error = $0 { true } else { false } }
        guard case .error(let element, let factory, let message, let debug) = heard.last else {
            Issue.record("no error among \(heard)")
            return
        }
        #expect(element == "culprit")
        #expect(factory == "identity")
        #expect(!message.isEmpty)
        #expect(debug.contains("gstidentity"))
    }

    @Test("The end-of-stream message follows the message about the reached state")
    func endOfStream() async throws {
        let pipeline = try Pipeline(parsing: "fakesrc num-buffers=1 ! fakesink", name: "end")
        try pipeline.setState(.playing)
        let heard = await pipeline.messages.collect { $0 == .endOfStream }
        #expect(heard.contains(.stateReached))
    }

    @Test("Cancelling the reader removes the handler, and later messages do not stay on the bus")
    func cancelledReader() async throws {
        let pipeline = try Pipeline(name: "cancelled")
        await withTaskGroup { group in
            group.addTask { [messages = pipeline.messages] in for await _ in messages {} }
            group.cancelAll()
        }
        Self.post((0..<100).map { "late-\($0)" }, on: pipeline)
        #expect(!Self.hasPending(pipeline))
        #expect(await pipeline.messages.next() == nil)
    }
}
