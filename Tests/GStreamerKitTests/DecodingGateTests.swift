import Synchronization
import Testing

@testable import GStreamerKit

@Suite("Decoding only while frames are needed", .timeLimit(.minutes(4)))
@MediaActor struct DecodingGateTests {
    /// The numbers of the frames of 30 frames per second that a decoder outputs, with a keyframe every 50 frames.
    private static func decoded(while isNeeded: @escaping @Sendable (_ frame: Int) -> Bool) async throws
        -> [Int]
    {
        let pipeline = try Pipeline(
            parsing: """
                videotestsrc num-buffers=220 ! video/x-raw,format=I420,width=160,height=90,framerate=30/1
                    ! x264enc tune=zerolatency key-int-max=50 ! h264parse ! avdec_h264 name=decoder
                    ! appsink name=output sync=false
                """,
            name: "gate"
        )
        let decoder = try #require(pipeline.element(named: "decoder"))
        let asked = Atomic(-1)
        let frames = Mutex<[UInt64]>([])
        decoder.decodeVideo(
            while: { isNeeded(asked.add(1, ordering: .relaxed).newValue) },
            whenSkipped: {}
        )
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let output = AppSink(try #require(pipeline.element(named: "output")), ended: { end.yield() })
        _ = output.hub.attach { sample in
            if let time = sample.presentationTime { frames.withLock { $0.append(time) } }
        }
        try pipeline.setState(.playing)
        for await _ in ends { break }
        try pipeline.setState(.null)
        let times = frames.withLock { $0 }
        let first = times.first ?? 0
        return times.map { Int((Double($0 - first) * 30 / 1e9).rounded()) }
    }

    @Test("All frames are decoded while they are needed")
    func all() async throws {
        #expect(try await Self.decoded { _ in true } == Array(0..<220))
    }

    @Test(
        "Unneeded groups of pictures are skipped, and frames before the first needed frame are not shown"
    )
    func middle() async throws {
        #expect(try await Self.decoded { $0 < 10 || $0 >= 120 } == Array(0..<50) + Array(120..<220))
    }

    @Test("The first group of pictures is decoded even if it is not needed")
    func first() async throws {
        #expect(try await Self.decoded { _ in false } == Array(0..<50))
    }
}
