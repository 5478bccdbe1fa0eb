import Basics
import CallCore
import GStreamerKit
import Synchronization
import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Recordings of video that changes all the time", .timeLimit(.minutes(4)))
struct RecordingChangesTests {
    private static let frame: UInt64 = 33_333_333

    @Test(
        "Repeated size changes start four more files immediately, then one every 2 s, with one warning"
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
                "\(path) lacks a part of the call: a stream changed its format too often, "
                    + "or had to wait for a keyframe"
            ]
        )
        #expect(await failures.reduce(into: []) { $0.append($1) } == [])
    }

    @Test("After too many size changes, video resumes at a keyframe of the current size or after two seconds")
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
            if !isSkipped { _ = state.hold(next) }
        }
        #expect(state.batches.map(\.samples.count) == [1, 1, 1, 1, 3, 2])
    }

    @Test("Format changes of one video do not count against another video")
    func tracks() async throws {
        var state = RecordingRouterState(splitsByFormat: true, segmentLength: nil)
        let large = try await SampleMaker.videoSamples(.h264, width: 320, height: 120, frames: 1)[0]
        let small = try await SampleMaker.videoSamples(.h264, width: 160, height: 120, frames: 1)[0]
        func isSkipped(_ sample: MediaSample, _ track: RecordingTrack) -> Bool {
            let next = RecordingRouterState.Arrival(sample: sample, track: track, codec: .h264, time: 0)
            let isSkipped = state.mustSkip(next)
            if !isSkipped { _ = state.hold(next) }
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
            return state.hold(next)
        }
        let accepted = [large, large, large, large, large, large, large, samples[1], samples[0], samples[1]]
            .map(accepts)
        #expect(accepted == [true, true, true, true, true, true, false, false, true, true])
        let dropped = [large, samples[1]].map(accepts)
        _ = state.batches[0].takeSamples()
        #expect(dropped + [samples[1], large].map(accepts) == [false, false, false, true])
    }

    @Test("If the audio codec keeps changing, four more files start immediately, then one every two seconds")
    func audio() async throws {
        var state = RecordingRouterState(splitsByFormat: false, segmentLength: nil)
        let sample = try await SampleMaker.videoSamples(.vp8, width: 64, height: 64, frames: 1)[0]
        let skipped = (0..<60).filter { index in
            let next = RecordingRouterState.Arrival(
                sample: sample,
                track: .audio,
                codec: index.isMultiple(of: 2) ? .opus : .pcmu,
                time: UInt64(index) * 100_000_000
            )
            return state.mustSkip(next) || !state.hold(next)
        }
        #expect(
            state.batches.count == 7,
            "the first one, four changes at once, and changes at 2 and 4 seconds"
        )
        #expect(skipped.first == 5)
    }

    @Test("A delta frame does not start a file, but the next keyframe does")
    func deltas() async throws {
        var state = RecordingRouterState(splitsByFormat: false, segmentLength: nil)
        let samples = try await SampleMaker.videoSamples(.vp8, width: 64, height: 64, frames: 2)
        /// Returns whether the sample is buffered, and whether a keyframe is requested.
        func accepts(_ sample: MediaSample, _ track: RecordingTrack, at seconds: UInt64) -> [Bool] {
            let next = RecordingRouterState.Arrival(
                sample: sample,
                track: track,
                codec: track == .audio ? .opus : .vp8,
                time: seconds * 1_000_000_000
            )
            let isRequested = state.wantsKeyframe(at: next)
            return [!state.mustSkip(next) && state.hold(next), isRequested]
        }
        #expect(accepts(samples[1], .video, at: 0) == [false, false])
        #expect(accepts(samples[0], .audio, at: 0) == [true, false])
        #expect(accepts(samples[1], .video, at: 4) == [false, true])
        #expect(accepts(samples[0], .video, at: 5) == [true, false])
        #expect(accepts(samples[1], .video, at: 6) == [true, false])
    }

    @Test("A stream that the parser cannot read ends the file without a failure")
    @MediaActor
    func unreadable() async throws {
        let reasons = Mutex<[String]>([])
        let file = try MuxedFile(path: "a", "appsrc name=in format=time ! h264parse ! fakesink name=file") {
            Issue.record("\($0)")
        } broken: { reason in
            reasons.withLock { $0.append(reason) }
        }
        let source = AppSource(try #require(file.pipeline.element(named: "in")))
        let sample = try await SampleMaker.videoSamples(.h264, width: 320, height: 120, frames: 1)[0]
        file.start()
        source.push(sample.replacing(with: [UInt8](repeating: 7, count: 100)))
        source.endOfStream()
        try await file.finish()
        #expect(reasons.withLock { $0.count } == 1)
    }

    @Test("After a broken file, a keyframe starts another file once two seconds have passed")
    @MediaActor
    func broken() async throws {
        let folder = try TemporaryFolder()
        let (_, failure) = AsyncStream.makeStream(of: MediaFailure.self)
        let writer = try RecordingWriter(
            path: folder.path("a.mkv"),
            container: .mkv,
            codecs: [.video: .vp8],
            origin: 0,
            library: Project.library,
            failures: failure
        ) { _ in }
        let samples = try await SampleMaker.videoSamples(.vp8, width: 64, height: 64, frames: 2)
        var state = RecordingRouterState(splitsByFormat: false, segmentLength: nil)
        state.current = (writer, RecordingLayout(codecs: [.video: .vp8]))
        /// Returns whether a sample is written to the open file or buffered for another one.
        func accepts(_ sample: MediaSample, at milliseconds: UInt64) -> Bool {
            let next = RecordingRouterState.Arrival(
                sample: sample,
                track: .video,
                codec: .vp8,
                time: milliseconds * 1_000_000
            )
            guard !state.mustSkip(next) else { return false }
            return state.writer(for: next) != nil || state.mayBeHeld(next) && state.hold(next)
        }
        #expect(accepts(samples[1], at: 100))
        state.leaveBroken(writer)
        let accepted = [(0, 200), (1, 233), (0, 2000), (1, 2200), (0, 2300), (1, 2333)].map { index, time in
            accepts(samples[index], at: time)
        }
        #expect(accepted == [false, false, false, false, true, true])
        #expect(state.batches.map(\.samples.count) == [2])
        _ = try? await writer.finish()
    }
}
