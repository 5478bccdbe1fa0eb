import Basics
import CallCore
import Foundation
import Synchronization
import Testing

@testable import GStreamerKit
@testable import MediaKit

extension RealTimeFiles {
    @Suite(
        "Recording of streams",
        .enabled(if: Tool.areInstalled, Tool.reason),
        .timeLimit(.minutes(4))
    )
    struct StreamRecordingTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        /// Records samples in the order of their times; those of the second list are in another opening of the
        /// stream.
        private func record(
            _ name: String,
            _ samples: [MediaSample],
            _ later: [MediaSample] = [],
            overwrite: Bool = false
        ) async throws -> (saved: [SavedRecording], warnings: [String], isWhole: Bool) {
            let path = folder.path(name)
            let container = try #require(Container(path: path))
            let file = try RecordingFile(path: path, container: container, overwrite: overwrite)
            let recording = StreamRecording(file, library: Project.library)
            for (opening, part) in [samples, later].enumerated() {
                for sample in part.sorted(by: { ($0.presentationTime ?? 0) < ($1.presentationTime ?? 0) }) {
                    recording.add(Self.running(sample), opening: opening)
                }
            }
            recording.finish()
            let saved = Mutex<[SavedRecording]>([])
            let warnings = Mutex<[String]>([])
            let isWhole = try await recording.run(
                notify: { recording in saved.withLock { $0.append(recording) } },
                warn: { warning in warnings.withLock { $0.append(warning) } }
            )
            return (saved.withLock { $0 }, warnings.withLock { $0 }, isWhole)
        }

        private static func running(_ sample: MediaSample) -> RunningSample {
            let time = Int64(sample.presentationTime ?? 0)
            let isAudio = sample.caps.mediaType.hasPrefix("audio/")
            return RunningSample(
                sample: sample,
                presentation: time,
                decoding: isAudio ? nil : time,
                seek: 0,
                group: 1
            )
        }

        private static func video(_ codec: Codec, frames: Int, from start: Double = 0) async throws
            -> [MediaSample]
        {
            try await SampleMaker.videoSamples(codec, width: 160, height: 120, frames: frames, from: start)
        }

        @Test(
            "A track that is missing for a long time does not hold up the other track",
            arguments: ["a.mkv", "a.mp4"]
        )
        func missingTrack(name: String) async throws {
            let audio = try await SampleMaker.audioSamples(packets: 50)
            let outcome = try await record(name, try await Self.video(.h264, frames: 300) + audio)
            #expect(outcome.saved.map(\.tracks) == [["H264", "OPUS"]])
            #expect(outcome.warnings.isEmpty)
            let probed = try await ProbedFile.read(folder.path(name))
            #expect(probed.video?.frames == 300)
            let audioTimes = try await ProbedFile.times(of: "a", in: folder.path(name))
            #expect((49...51).contains(audioTimes.count))
        }

        @Test("A track that returns after a long gap is recorded to another file")
        func returns() async throws {
            let audio =
                try await SampleMaker.audioSamples(packets: 50)
                + (try await SampleMaker.audioSamples(packets: 100, from: 8))
            let outcome = try await record("a.mkv", try await Self.video(.h264, frames: 300) + audio)
            #expect(outcome.saved.map(\.path) == [folder.path("a.mkv"), folder.path("a-2.mkv")])
            let second = try await ProbedFile.read(folder.path("a-2.mkv"))
            #expect(second.video.map { $0.frames >= 30 } == true)
            #expect(second.audio.map { $0.frames >= 50 } == true)
        }

        @Test("A change of codec starts another file, and each file begins with a keyframe")
        func change() async throws {
            let outcome = try await record(
                "a.mkv",
                Array(try await Self.video(.h264, frames: 60)[10...]),
                try await Self.video(.vp8, frames: 30)
            )
            #expect(outcome.saved.map(\.tracks) == [["H264"], ["VP8"]])
            #expect(try await ProbedFile.read(folder.path("a.mkv")).video?.frames == 30)
            #expect(try await ProbedFile.read(folder.path("a-2.mkv")).video?.frames == 30)
        }

        @Test(
            "A reopened stream continues in the same file without a gap",
            arguments: ["a.mkv", "a.mp4"]
        )
        func again(name: String) async throws {
            let video = try await Self.video(.h264, frames: 30)
            let outcome = try await record(name, video, video)
            #expect(outcome.saved.count == 1)
            let times = try await ProbedFile.times(of: "v", in: folder.path(name))
            #expect(times.count == 60)
            let steps = zip(times.sorted().dropFirst(), times.sorted()).map { $0 - $1 }
            #expect(steps.allSatisfy { abs($0 - 1 / 30) < 0.005 })
        }

        @Test("A codec that the container cannot hold is left out with a warning")
        func unsupported() async throws {
            let audio = try await SampleMaker.audioSamples(packets: 100)
            let outcome = try await record("a.mp4", try await Self.video(.vp8, frames: 60) + audio)
            #expect(outcome.saved.map(\.tracks) == [["OPUS"]])
            #expect(outcome.warnings.count == 1)
            #expect(outcome.warnings.first?.contains("video/x-vp8") == true)
            #expect(!outcome.isWhole)
        }

        @Test("Without samples, no recording is saved and the reserved file is removed")
        func empty() async throws {
            let outcome = try await record("a.mkv", [])
            #expect(outcome.saved.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: folder.path("a.mkv")))
        }

        @Test("A full disk ends the recording and is reported as the reason")
        func fullDisk() async throws {
            let video = try await Self.video(.h264, frames: 60)
            try FileManager.default.createSymbolicLink(
                atPath: folder.path("a.mkv"),
                withDestinationPath: "/dev/full"
            )
            let failure = await #expect(throws: MediaFailure.self) {
                _ = try await record("a.mkv", video, overwrite: true)
            }
            guard case .recording(let message, _) = failure else {
                Issue.record("no failure of recording: \(String(describing: failure))")
                return
            }
            #expect(message.contains("the disk is full"))
        }

        @Test("The failure of a file ends a recording even if no further samples arrive")
        func failureWakes() async throws {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path("a.mkv"),
                withDestinationPath: "/dev/full"
            )
            let file = try RecordingFile(path: folder.path("a.mkv"), container: .mkv, overwrite: true)
            let recording = StreamRecording(file, library: Project.library)
            for sample in try await Self.video(.h264, frames: 60) {
                recording.add(Self.running(sample), opening: 0)
            }
            await #expect(throws: MediaFailure.self) {
                _ = try await recording.run(notify: { _ in }, warn: { _ in })
            }
        }
    }
}
