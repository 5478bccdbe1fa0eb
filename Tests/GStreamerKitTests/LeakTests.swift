import CGLib
import CGStreamer
import GLibKit
import Testing

@testable import GStreamerKit

/// Tests that each run in their own process, where no other test opens or allocates anything.
@Suite("Leaks", .serialized, .timeLimit(.minutes(4)))
struct LeakTests {
    @Test("A thousand pipelines leave no object, thread, file descriptor or memory behind")
    func pipelines() async {
        await #expect(processExitsWith: .success) {
            try await Leaks.check(rounds: 1000, bytes: 4_000_000) { try await Leaks.prerollPipeline() }
        }
    }

    @Test("A hundred peer connections leave no object, thread, file descriptor or memory behind")
    func peerConnections() async {
        await #expect(processExitsWith: .success) {
            try await Leaks.check(rounds: 100, bytes: 4_000_000) { try await Leaks.offer() }
        }
    }

    @Test("Twenty thousand promises and signal streams leave no memory behind")
    func promises() async {
        await #expect(processExitsWith: .success) {
            let bin = try WebRTCBin(latencyMs: 20)
            try await Leaks.check(rounds: 20_000, bytes: 1_000_000) {
                withExtendedLifetime(bin.localCandidates()) {}
                return try await reply {
                    gst_promise_reply($0, gst_structure_new_empty("answer"))
                } decode: { _ in
                    [WeakObjectRef]()
                }
            }
        }
    }
}

/// The operations that leak tests repeat, and the comparison of resources.
private enum Leaks {
    /// Runs `body` `rounds` times, after a third as many warm-up runs, and compares the resources in use.
    static func check(
        rounds: Int,
        bytes: Int,
        _ body: @Sendable () async throws -> [WeakObjectRef]
    ) async throws {
        // The warm-up contains the expectation, whose first use maps code and allocates.
        func checkOnce() async throws {
            let objects = try await body()
            #expect(objects.allSatisfy { $0.object == nil })
        }
        for _ in 0..<rounds / 3 { try await checkOnce() }
        let (threads, descriptors) = (ProcessFigures.threads, ProcessFigures.descriptors)
        let memory = ProcessFigures.residentBytes
        for _ in 0..<rounds { try await checkOnce() }
        #expect(ProcessFigures.threads <= threads + 5)  // the number of GLib's pool threads varies
        #expect(ProcessFigures.descriptors <= descriptors + 5)
        #expect(ProcessFigures.residentBytes - memory < bytes)
    }

    @MediaActor
    static func prerollPipeline() throws -> [WeakObjectRef] {
        let pipeline = try Pipeline(
            parsing: "videotestsrc num-buffers=1 ! video/x-raw,width=16,height=16 ! fakesink",
            name: "short"
        )
        try pipeline.setState(.paused)
        return [WeakObjectRef(pipeline.object)]
    }

    @MediaActor
    static func offer() async throws -> [WeakObjectRef] {
        let pipeline = try Pipeline(name: "peer")
        let bin = try WebRTCBin(latencyMs: 20)
        pipeline.add(bin)
        let pad = bin.requestPad("sink_0")
        pad.flatMap(Transceiver.init)?.set(
            codecs: try Caps(
                "application/x-rtp,media=(string)audio,encoding-name=(string)OPUS,"
                    + "clock-rate=(int)48000,payload=(int)110"
            )
        )
        try pipeline.setState(.playing)
        try await bin.setLocal(.offer, try await bin.createOffer())
        try pipeline.setState(.null)
        return [WeakObjectRef(pipeline.object), WeakObjectRef(bin.object)]
    }
}
