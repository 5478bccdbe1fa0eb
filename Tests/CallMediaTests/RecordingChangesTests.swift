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
        "Keyframes of alternating sizes begin four files at once, then one in two seconds, and the gaps are reported once"
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
        #expect(saved.count == 7, "the first file, four changes at once, and changes at 2 and 4 seconds")
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
            (large[0], 0, false), (small[0], 100, false), (large[0], 200, false), (small[0], 300, false),
            (large[0], 400, false), (small[0], 500, true), (small[1], 533, true), (large[1], 566, true),
            (large[0], 600, false), (large[1], 633, false), (small[0], 700, true), (small[1], 2133, true),
            (small[0], 2200, false), (small[1], 2233, false),
        ] as [(MediaSample, UInt64, Bool)] {
            let next = arrival(sample, at: time)
            let (isRequested, isDropped) = (state.wantsKeyframe(at: next), state.mustSkip(next))
            #expect(isRequested == (time == 2133))
            #expect(isDropped == isSkipped, "at \(time) ms")
            if !isSkipped { state.hold(next) }
        }
        #expect(state.batches.map(\.samples.count) == [1, 1, 1, 1, 3, 2])
    }

    @Test("The changes of one video leave those of another one alone")
    func tracks() async throws {
        var state = RecordingRouterState(splitsByFormat: true, segmentLength: nil)
        let large = try await SampleMaker.videoSamples(.h264, width: 320, height: 120, frames: 1)[0]
        let small = try await SampleMaker.videoSamples(.h264, width: 160, height: 120, frames: 1)[0]
        func isSkipped(_ sample: MediaSample, _ track: RecordingTrack) -> Bool {
            let next = RecordingRouterState.Arrival(sample: sample, track: track, codec: .h264, time: 0)
            let isSkipped = state.mustSkip(next)
            if !isSkipped { state.hold(next) }
            return isSkipped
        }
        let other = RecordingTrack(.local, .video)
        let changes = (0..<6).map { isSkipped($0.isMultiple(of: 2) ? large : small, .video) }
        #expect(changes == [false, false, false, false, false, true])
        #expect([large, small].map { isSkipped($0, other) } == [false, false])
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
