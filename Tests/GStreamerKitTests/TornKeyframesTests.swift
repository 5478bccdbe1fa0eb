import CGStreamer
import GLibKit
import Synchronization
import Testing

@testable import GStreamerKit

@Suite("Detection of incomplete access units", .timeLimit(.minutes(2)))
@MediaActor
struct TornKeyframesTests {
    private nonisolated static let parameters: [UInt8] = [0, 0, 0, 1, 0x67, 1, 2, 0, 0, 0, 1, 0x68, 3]
    private nonisolated static let first: [UInt8] = [0, 0, 0, 1, 0x65, 0x88, 4]
    private nonisolated static let later: [UInt8] = [0, 0, 0, 1, 0x65, 0x41, 4]

    private func judge(
        _ units: inout TornKeyframes,
        isAfterLoss: Bool = false,
        isMarked: Bool = true,
        _ keyframe: [UInt8]? = nil
    ) -> TornKeyframes.Verdict {
        let beginning = keyframe.map { $0.withUnsafeBytes { KeyframeSlices(of: $0) } }
        return units.judge(isAfterLoss: isAfterLoss, isMarked: isMarked, keyframe: beginning)
    }

    @Test("After a loss, a keyframe passes only with its first slice, and other frames only after a keyframe")
    func firstSlice() {
        var units = TornKeyframes()
        #expect(judge(&units, isAfterLoss: true, Self.first) == .passes)
        #expect(judge(&units) == .passes)
        #expect(judge(&units, isAfterLoss: true, Self.later) == .isTornKeyframe)
        #expect(judge(&units) == .isTorn)
        #expect(judge(&units, Self.later) == .isTornKeyframe)
        #expect(judge(&units, Self.first) == .passes)
        #expect(judge(&units) == .passes)
    }

    @Test("A keyframe after a loss needs parameter sets if the previous keyframe had them")
    func parameterSets() {
        var units = TornKeyframes()
        #expect(judge(&units, isAfterLoss: true, Self.parameters + Self.first) == .passes)
        #expect(judge(&units, isAfterLoss: true, Self.first) == .isTornKeyframe)
        #expect(judge(&units, Self.parameters + Self.first) == .passes)
        #expect(judge(&units, Self.first) == .passes)
        #expect(judge(&units, isAfterLoss: true, Self.first) == .passes)
    }

    @Test("If a sender does not repeat parameter sets, its second keyframe after a loss passes")
    func parameterSetsOnce() {
        var units = TornKeyframes()
        #expect(judge(&units, isAfterLoss: true, Self.parameters + Self.first) == .passes)
        #expect(judge(&units, isAfterLoss: true, Self.first) == .isTornKeyframe)
        #expect(judge(&units) == .isTorn)
        #expect(judge(&units, Self.first) == .passes)
        #expect(judge(&units) == .passes)
    }

    @Test("A keyframe after a loss needs the RTP marker bit if the sender has set it before")
    func lastSlice() {
        var units = TornKeyframes()
        #expect(judge(&units, isAfterLoss: true, Self.first) == .passes)
        #expect(judge(&units, isAfterLoss: true, isMarked: false, Self.first) == .isTornKeyframe)
        #expect(judge(&units) == .isTorn)
        #expect(judge(&units, Self.first) == .passes)

        var unmarked = TornKeyframes()
        #expect(judge(&unmarked, isAfterLoss: true, isMarked: false, Self.first) == .passes)
        #expect(judge(&unmarked, isMarked: false) == .passes)
        #expect(judge(&unmarked, isAfterLoss: true, isMarked: false, Self.first) == .passes)
    }

    @Test("A keyframe after a loss needs as many slices as earlier keyframes, unless their number varies")
    func innerSlice() {
        var units = TornKeyframes()
        #expect(judge(&units, Self.first + Self.later + Self.later) == .passes)
        #expect(judge(&units, isAfterLoss: true, Self.first + Self.later) == .isTornKeyframe)
        #expect(judge(&units, Self.first + Self.later + Self.later) == .passes)
        #expect(judge(&units, Self.first + Self.later) == .passes)
        #expect(judge(&units, isAfterLoss: true, Self.first) == .passes)
    }

    @Test(
        "Truncated data, or data without a slice, does not pass as a keyframe",
        arguments: [
            [], [0, 0, 1], [0, 0, 1, 0x65], [0, 0, 0, 1, 0x09, 0x10], parameters, [1, 0x65, 0x88],
        ]
    )
    func hostile(_ bytes: [UInt8]) {
        var units = TornKeyframes()
        #expect(judge(&units, isAfterLoss: true, bytes) == .isTornKeyframe)
    }

    /// A pipeline that sends frames of four slices; one packet in fifty is dropped at the element `way`.
    private static let lossy =
        "videotestsrc num-buffers=900 pattern=snow ! video/x-raw,width=160,height=96,framerate=30/1 "
        + "! x264enc tune=zerolatency option-string=sliced-threads=0:slices=4 key-int-max=900 bitrate=400 "
        + "! h264parse config-interval=-1 ! rtph264pay mtu=200 ! identity name=way "
        + "! rtph264depay name=depayloader wait-for-keyframe=true request-keyframe=true "
        + "! video/x-h264,stream-format=byte-stream,alignment=au ! appsink name=out sync=false"

    private final class Counts: Sendable {
        let slices = Mutex<[Int]>([])
        let lost = Mutex(0)
    }

    /// Runs the lossy pipeline, and counts the slices of each frame and the lost packets.
    private func slices(isGuarded: Bool, seed number: UInt32) async throws -> Counts {
        let pipeline = try Pipeline(parsing: Self.lossy, name: "lossy")
        let way = try #require(pipeline.element(named: "way")?.pad("src"))
        let seed = Mutex(number)
        let counts = Counts()
        way.addProbe(GST_PAD_PROBE_TYPE_BUFFER) { _, _ in
            let number = seed.withLock { seed in
                seed = seed &* 1_664_525 &+ 1_013_904_223
                return seed >> 16
            }
            guard number % 50 == 0 else { return GST_PAD_PROBE_OK }
            counts.lost.withLock { $0 += 1 }
            return GST_PAD_PROBE_DROP
        }
        if isGuarded {
            try #require(pipeline.element(named: "depayloader")?.pad("src")).dropTornKeyframes()
        }
        let hub = AppSink(try #require(pipeline.element(named: "out"))).hub
        _ = hub.attach { sample in
            let bytes = sample.withBytes { Array($0) } ?? []
            let found = bytes.indices.dropFirst(3).count { index in
                let isStart = bytes[index - 3] == 0 && bytes[index - 2] == 0 && bytes[index - 1] == 1
                return isStart && (1...5).contains(bytes[index] & 0x1F)
            }
            counts.slices.withLock { $0.append(found) }
        }
        try pipeline.setState(.playing)
        _ = await pipeline.messages.collect { $0 == .endOfStream }
        return counts
    }

    @Test(
        "Only frames with all of their slices pass, and the stream recovers from each loss",
        arguments: [1, 2, 3, 4711]
    )
    func wholeFrames(seed: UInt32) async throws {
        let counts = try await slices(isGuarded: true, seed: seed)
        let (slices, lost) = (counts.slices.withLock { $0 }, counts.lost.withLock { $0 })
        #expect(lost > 20)
        #expect(slices.count > 30)
        #expect(slices.allSatisfy { $0 == 4 }, "\(slices.filter { $0 != 4 })")
    }

    @Test("Without the filter, some frames lack slices")
    func unguarded() async throws {
        let slices = try await slices(isGuarded: false, seed: 4711).slices.withLock { $0 }
        #expect(slices.contains { $0 != 4 })
    }
}
