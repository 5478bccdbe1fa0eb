import CGLib
import CGStreamer
import GLibKit
import Testing

@testable import GStreamerKit

@Suite("Ownership in GStreamer", .timeLimit(.minutes(4)))
struct OwnershipTests {
    private static let description = "videotestsrc num-buffers=1 ! video/x-raw,width=16,height=16 ! fakesink"

    /// Waits until a GObject is finalized; no reference to it may be held.
    private static func finalization(of object: WeakObjectRef) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        guard let object = object.object else {
            continuation.finish()
            return stream
        }
        let end = Unmanaged.passRetained(End(continuation)).toOpaque()
        g_object_weak_ref(
            object.pointer,
            { data, _ in
                // The pointer given below, which is passed back once.
                Unmanaged<End>.fromOpaque(data!).takeRetainedValue().continuation.finish()
            },
            end
        )
        return stream
    }

    private final class End: Sendable {
        let continuation: AsyncStream<Void>.Continuation

        init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }
    }

    @Test("A pipeline that is released while playing is finalized with its elements")
    @MediaActor
    func droppedPipeline() async throws {
        var pipeline: Pipeline? = try Pipeline(
            parsing: "audiotestsrc is-live=true name=source ! fakesink name=sink",
            name: "dropped"
        )
        try pipeline?.setState(.playing)
        let elements = ["source", "sink"].compactMap { pipeline?.element(named: $0)?.object }
            .map(WeakObjectRef.init)
        #expect(elements.count == 2)
        pipeline = nil
        // A thread of GStreamer that still completes the change to PLAYING keeps the pipeline for a moment.
        for element in elements { for await _ in Self.finalization(of: element) {} }
        #expect(elements.allSatisfy { $0.object == nil })
    }

    @Test("The message stream finishes when the pipeline is released")
    @MediaActor
    func messagesOfDroppedPipeline() async throws {
        var pipeline: Pipeline? = try Pipeline(parsing: Self.description, name: "dropped")
        let messages = try #require(pipeline?.messages)
        try pipeline?.setState(.playing)
        pipeline = nil
        for await _ in messages {}
    }

    @Test(
        "A pipeline that cannot be parsed throws an error",
        arguments: ["no-such-element", "fakesrc ! (", "!"]
    )
    func refused(_ description: String) {
        #expect(throws: GStreamerError.self) { try Pipeline(parsing: description, name: "refused") }
        #expect(throws: GStreamerError.self) { try Bin.parsing(description) }
    }

    @Test("The error about a missing element names the element")
    func missing() {
        #expect(throws: GStreamerError.missingElement("no-such-element")) {
            try Pipeline(parsing: "fakesrc ! no-such-element ! fakesink", name: "missing")
        }
        #expect(throws: GStreamerError.missingElement("no-such-element")) {
            try Bin.parsing("fakesrc ! no-such-element")
        }
        #expect(throws: GStreamerError.missingElement("no-such-element")) {
            try Element(factory: "no-such-element")
        }
        #expect(GStreamer.missing(["fakesrc", "no-such-element"]) == ["no-such-element"])
    }

    @Test("A thousand promises are released with their handlers")
    func promises() async throws {
        var token: Token? = Token()
        weak let released = token
        for _ in 0..<1000 {
            let name = try await reply { promise in
                gst_promise_reply(promise, gst_structure_new_empty("answer"))
            } decode: { [token] structure in
                withExtendedLifetime(token) { structure?.name }
            }
            #expect(name == "answer")
        }
        token = nil
        #expect(released == nil)
    }

    @Test("A thousand pad handlers are released with their elements")
    func handlers() throws {
        var token: Token? = Token()
        weak let released = token
        for _ in 0..<1000 {
            let element = try Element(factory: "identity")
            element.onPadAdded { [token] _ in withExtendedLifetime(token) {} }
            element.pad("src")?.onBuffer { [token] _ in withExtendedLifetime(token) {} }
            element.pad("src")?.onForceKeyUnit { [token] in withExtendedLifetime(token) {} }
        }
        token = nil
        #expect(released == nil)
    }

    @Test("A thousand streams of a peer connection's signals are disconnected when released")
    func emissions() throws {
        let bin = try WebRTCBin(latencyMs: 20)
        let signal = g_signal_lookup("on-ice-candidate", callrunner_type_of(bin.object.pointer))
        func isConnected() -> Bool { g_signal_has_handler_pending(bin.object.pointer, signal, 0, 1) != 0 }
        for _ in 0..<1000 {
            let candidates = bin.localCandidates()
            withExtendedLifetime(candidates) { #expect(isConnected()) }
        }
        #expect(!isConnected())
    }
}
