import Basics
import CallCore
import GStreamerKit
import Synchronization
import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Recordings of video that changes all the time", .timeLimit(.minutes(1)))
struct RecordingChangesTests {
    private static let frame: UInt64 = 33_333_333

    @Test(
        "Keyframes of alternating sizes begin a file every two seconds at most, and the gaps are reported once"
    )
    func alternating() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mp4")
        let file = try RecordingFile(path: path, container: .mp4, overwrite: false)
        let (failures, failure) = AsyncStream.makeStream(of: MediaFailure.self)
        let warnings = Mutex<[String]>([])
        let recorder = await Recorder(file: file, library: Project.library, failures: failure) { warning in
            warnings.withLock { $0.append(warning) }
        }
        let hub = SampleHub()
        await recorder.expect([.video])
        await recorder.record(hub, kind: .video, codec: .h264)
        var keyframes: [MediaSample] = []
        for width in [320, 160] {
            keyframes += try await SampleMaker.videoSamples(.h264, width: width, height: 120, frames: 1)
        }
        for index in 0..<150 {
            let time = UInt64(index) * Self.frame
            hub.publish(keyframes[index % 2].shifted(to: time, decodeTime: nil))
        }
        let saved = await recorder.finish()
        failure.finish()
        #expect(saved.count == 4, "the first file, and changes at 0, 2 and 4 seconds")
        #expect(
            warnings.withLock(\.self) == [
                "\(path) lacks a part of the call: the video changes faster than a file can follow"
            ]
        )
        #expect(await failures.reduce(into: []) { $0.append($1) } == [])
    }

    @Test("After a change that comes too soon, video is recorded from the next keyframe that fits")
    func again() async throws {
        var state = RecordingRouterState(splitsByFormat: true, segmentLength: nil)
        let large = try await SampleMaker.videoSamples(.h264, width: 320, height: 120, frames: 2)
        let small = try await SampleMaker.videoSamples(.h264, width: 160, height: 120, frames: 2)
        func arrival(_ sample: MediaSample, at milliseconds: UInt64) -> RecordingRouterState.Arrival {
            RecordingRouterState.Arrival(
                sample: sample,
                track: .video,
                codec: .h264,
                time: milliseconds * 1_000_000
            )
        }
        for (sample, time, isSkipped) in [
            (large[0], 0, false), (small[0], 100, false), (large[0], 200, true), (large[1], 233, true),
            (small[1], 266, true), (small[0], 300, false), (small[1], 333, false), (large[0], 400, true),
            (large[1], 2133, true), (large[0], 2200, false), (large[1], 2233, false),
        ] as [(MediaSample, UInt64, Bool)] {
            let next = arrival(sample, at: time)
            let (isRequested, isDropped) = (state.wantsKeyframe(at: next), state.mustSkip(next))
            #expect(isRequested == (time == 2133))
            #expect(isDropped == isSkipped, "at \(time) ms")
            if !isSkipped { state.hold(next) }
        }
        #expect(state.batches.map(\.samples.count) == [1, 3, 2])
    }

    @Test("While no file can be opened, the buffered samples are bounded, and video resumes at a keyframe")
    func bounded() async throws {
        var state = RecordingRouterState(splitsByFormat: false, segmentLength: nil)
        let samples = try await SampleMaker.videoSamples(.vp8, width: 64, height: 64, frames: 2)
        let large = samples[0].replacing(with: Array(repeating: 0, count: 10_000_000))
        func arrival(_ sample: MediaSample) -> RecordingRouterState.Arrival {
            RecordingRouterState.Arrival(sample: sample, track: .video, codec: .vp8, time: 0)
        }
        /// Returns whether a sample is buffered.
        func accepts(_ sample: MediaSample) -> Bool {
            let next = arrival(sample)
            guard !state.mustSkip(next), state.hasRoom(for: next) else { return false }
            state.hold(next)
            return true
        }
        let accepted = [large, large, large, large, large, large, large, samples[1], samples[0], samples[1]]
            .map(accepts)
        #expect(accepted == [true, true, true, true, true, true, false, false, true, true])
        let dropped = [large, samples[1]].map(accepts)
        _ = state.batches[0].takeSamples()
        #expect(dropped + [samples[1], large].map(accepts) == [false, false, false, true])
    }
}
