import Basics
import CallCore
import Foundation
import GStreamerKit
import Testing

@testable import CallMedia
@testable import MediaKit

extension RealTimeFiles {
    @Suite("Recorder", .enabled(if: Tool.areInstalled, Tool.reason), .timeLimit(.minutes(4)))
    struct RecorderTests {
        let folder: TemporaryFolder
        let video = SampleHub()
        private let audio = SampleHub()

        init() throws { folder = try TemporaryFolder() }

        struct Outcome {
            var saved: [SavedRecording]
            var failures: [MediaFailure]
        }

        /// Records the samples that `feed` publishes to the file `name`, and expects tracks of `kinds`.
        func record(
            _ name: String,
            expecting kinds: [MediaKind] = [.video, .audio],
            codec: Codec = .h264,
            overwrite: Bool = false,
            _ feed: (Recorder) async throws -> Void
        ) async throws -> Outcome {
            let path = folder.path(name)
            let container = try #require(Container(path: path))
            let file = try RecordingFile(path: path, container: container, overwrite: overwrite)
            let (failures, failure) = AsyncStream.makeStream(of: MediaFailure.self)
            let recorder = await Recorder(file: file, library: Project.library, failures: failure) {
                Issue.record("\($0)")
            }
            await recorder.expect(kinds)
            await recorder.record(video, kind: .video, codec: codec)
            await recorder.record(audio, kind: .audio, codec: .opus)
            try await feed(recorder)
            let saved = await recorder.finish()
            failure.finish()
            return Outcome(saved: saved, failures: await failures.reduce(into: []) { $0.append($1) })
        }

        /// Publishes samples in the order of their timestamps, like two live streams.
        private func publish(_ videoSamples: [MediaSample], _ audioSamples: [MediaSample]) {
            let all = videoSamples.map { (video, $0) } + audioSamples.map { (audio, $0) }
            let ordered = all.sorted { ($0.1.presentationTime ?? 0) < ($1.1.presentationTime ?? 0) }
            for (hub, sample) in ordered { hub.publish(sample) }
        }

        @Test(
            "Both tracks are complete, in sync and of the right duration",
            arguments: [
                ("a.mkv", Codec.h264), ("a.mkv", .vp8), ("a.mp4", .h264), ("a.webm", .vp8),
            ]
        )
        func wholeFile(_ name: String, _ codec: Codec) async throws {
            let videoSamples = try await SampleMaker.videoSamples(
                codec,
                width: 320,
                height: 240,
                frames: 90,
                from: 7
            )
            let audioSamples = try await SampleMaker.audioSamples(packets: 150, from: 7)
            let outcome = try await record(name, codec: codec) { _ in publish(videoSamples, audioSamples) }
            #expect(outcome.failures == [])
            let saved = try #require(outcome.saved.first)
            #expect(abs(saved.seconds - 3) < 0.05)
            #expect(saved.tracks == [codec.rawValue, "OPUS"])
            #expect(saved.bytes == RecordingFile.size(of: saved.path))
            let probed = try await ProbedFile.read(saved.path)
            #expect(probed.codecs == [codec.rawValue.lowercased(), "opus"])
            #expect(probed.video?.frames == 90)
            #expect((probed.audio?.frames ?? 0) >= 149)
            #expect(abs(probed.duration - 3) < 0.1)
            let starts = [probed.video?.start ?? 9, probed.audio?.start ?? -9]
            #expect(abs(starts[0] - starts[1]) < 0.1)
        }

        @Test("A single track is recorded to a file", arguments: ["a.mkv", "a.mp4"], MediaKind.allCases)
        func oneTrack(_ name: String, _ kind: MediaKind) async throws {
            let videoSamples = try await SampleMaker.videoSamples(.h264, width: 160, height: 120, frames: 30)
            let audioSamples = try await SampleMaker.audioSamples(packets: 50)
            let outcome = try await record(name, expecting: [kind]) { _ in
                publish(kind == .video ? videoSamples : [], kind == .audio ? audioSamples : [])
            }
            let probed = try await ProbedFile.read(try #require(outcome.saved.first).path)
            #expect(probed.codecs == [kind == .video ? "h264" : "opus"])
            #expect((probed.video?.frames ?? 50) >= 30)
        }

        @Test("An expected track that never arrives is left out of the file", arguments: ["a.mkv", "a.mp4"])
        func absentTrack(_ name: String) async throws {
            let videoSamples = try await SampleMaker.videoSamples(.h264, width: 160, height: 120, frames: 150)
            let outcome = try await record(name) { _ in publish(videoSamples, []) }
            #expect(outcome.saved.map(\.tracks) == [["H264"]])
            #expect(try await ProbedFile.read(folder.path(name)).video?.frames == 150)
        }

        @Test(
            "A late track is recorded in sync, and all frames and packets are playable",
            arguments: [("a.mkv", Codec.h264), ("a.mp4", .h264), ("a.webm", .vp8)],
            [(MediaKind.video, 2.5), (.video, 5), (.audio, 2.5), (.audio, 5)]
        )
        func lateTrack(_ file: (name: String, codec: Codec), _ late: (kind: MediaKind, by: Double))
            async throws
        {
            let videoSamples = try await SampleMaker.videoSamples(
                file.codec,
                width: 160,
                height: 120,
                frames: 240,
                from: 1 + (late.kind == .video ? late.by : 0)
            )
            let audioSamples = try await SampleMaker.audioSamples(
                packets: 400,
                from: 1 + (late.kind == .audio ? late.by : 0)
            )
            let outcome = try await record(file.name, codec: file.codec) { _ in
                publish(videoSamples, audioSamples)
            }
            #expect(outcome.failures == [])
            let tracks = outcome.saved.map(\.tracks)
            let both = [file.codec.rawValue, "OPUS"]
            if late.by < 3 {
                #expect(tracks == [both])
            } else {
                #expect(tracks == [[late.kind == .video ? "OPUS" : file.codec.rawValue], both])
            }
            var frames: [String: Int] = [:]
            for saved in outcome.saved {
                let probed = try await ProbedFile.read(saved.path)
                for stream in probed.streams { frames[stream.codec_type, default: 0] += stream.frames }
                guard let video = probed.video, let audio = probed.audio else { continue }
                #expect(video.width == 160)
                let delay = late.kind == .video ? video.start - audio.start : audio.start - video.start
                // If audio is late, the file with both tracks begins at the next keyframe, up to 1 s later.
                let tolerance = late == (.audio, 5) ? 1.05 : 0.1
                #expect(abs(delay - (late.by < 3 ? late.by : 0)) < tolerance)
            }
            #expect(frames["video"] == 240)
            #expect((frames["audio"] ?? 0) >= 398)
        }

        @Test("When late audio arrives, one keyframe is requested, and no video frame is lost")
        func keyframeRequest() async throws {
            let first = try await SampleMaker.videoSamples(.h264, width: 160, height: 120, frames: 110)
            let next = try await SampleMaker.videoSamples(.h264, width: 160, height: 120, frames: 60, from: 4)
            let audioSamples = try await SampleMaker.audioSamples(packets: 150, from: 3.5)
            let (requests, request) = AsyncStream.makeStream(of: Void.self)
            let outcome = try await record("a.mkv") { recorder in
                await recorder.record(video, kind: .video, codec: .h264) { request.yield() }
                publish(first, Array(audioSamples[..<20]))
                for await _ in requests { break }
                publish(next, Array(audioSamples[20...]))
            }
            request.finish()
            #expect(await requests.reduce(0) { count, _ in count + 1 } == 0)
            #expect(outcome.saved.map(\.tracks) == [["H264"], ["H264", "OPUS"]])
            #expect(try await ProbedFile.read(folder.path("a.mkv")).video?.frames == 110)
            let both = try await ProbedFile.read(folder.path("a-2.mkv"))
            #expect(both.video?.frames == 60)
            #expect((both.audio?.frames ?? 0) >= 150)
        }

        @Test("A recording without samples leaves no file") func nothing() async throws {
            let outcome = try await record("a.mkv") { _ in }
            #expect(outcome.saved.isEmpty)
            #expect(folder.names == [])
        }

        @Test("A Matroska recording continues after a change of resolution", arguments: [Codec.h264, .vp8])
        func sizeChangeMKV(_ codec: Codec) async throws {
            let outcome = try await changeSize("a.mkv", codec)
            #expect(outcome.saved.map(\.path) == [folder.path("a.mkv")])
            #expect(try await ProbedFile.read(folder.path("a.mkv")).video?.frames == 180)
        }

        @Test("A WebM recording continues after a change of resolution") func sizeChangeWebM() async throws {
            _ = try await changeSize("a.webm", .vp8)
            #expect(try await ProbedFile.read(folder.path("a.webm")).video?.frames == 180)
        }

        @Test("An MP4 recording starts another file after a change of resolution")
        func sizeChangeMP4() async throws {
            let outcome = try await changeSize("a.mp4", .h264)
            #expect(outcome.saved.map(\.path) == ["a.mp4", "a-2.mp4", "a-3.mp4"].map(folder.path))
            #expect(outcome.failures == [])
            for (name, width) in [("a.mp4", 320), ("a-2.mp4", 640), ("a-3.mp4", 160)] {
                let probed = try await ProbedFile.read(folder.path(name))
                #expect(probed.video?.width == width)
                #expect(probed.video?.frames == 60)
                #expect(probed.audio != nil)
            }
        }

        private func changeSize(_ name: String, _ codec: Codec) async throws -> Outcome {
            var videoSamples: [MediaSample] = []
            for (start, width) in [(0.0, 320), (2, 640), (4, 160)] {
                videoSamples += try await SampleMaker.videoSamples(
                    codec,
                    width: width,
                    height: width * 3 / 4,
                    frames: 60,
                    from: start
                )
            }
            let audioSamples = try await SampleMaker.audioSamples(packets: 300)
            return try await record(name, codec: codec) { _ in publish(videoSamples, audioSamples) }
        }

        @Test("A change of encoder starts another file for MP4, but not for Matroska")
        func encoderChange() async throws {
            var videoSamples: [MediaSample] = []
            for (start, preset) in [(0.0, "ultrafast"), (2, "veryfast")] {
                videoSamples += try await SampleMaker.videoSamples(
                    .h264,
                    width: 320,
                    height: 240,
                    frames: 60,
                    from: start,
                    preset: preset
                )
            }
            for (name, frames) in [("a.mp4", [60, 60]), ("a.mkv", [120])] {
                let outcome = try await record(name, expecting: [.video]) { _ in publish(videoSamples, []) }
                #expect(outcome.failures == [])
                var counted: [Int?] = []
                for saved in outcome.saved {
                    counted.append(try await ProbedFile.read(saved.path).video?.frames)
                }
                #expect(counted == frames)
            }
        }

        @Test("A change of codec starts another file, even for Matroska")
        func codecChange() async throws {
            let first = try await SampleMaker.videoSamples(.h264, width: 160, height: 120, frames: 30)
            let second = try await SampleMaker.videoSamples(
                .vp8,
                width: 160,
                height: 120,
                frames: 30,
                from: 1
            )
            let outcome = try await record("a.mkv", expecting: [.video]) { recorder in
                publish(first, [])
                await recorder.record(video, kind: .video, codec: .vp8)
                publish(second, [])
            }
            #expect(outcome.saved.map(\.tracks) == [["H264"], ["VP8"]])
            for saved in outcome.saved { #expect(try await ProbedFile.read(saved.path).video?.frames == 30) }
        }

        @Test("Two attempts with a pause are recorded to one file")
        func pause() async throws {
            let first = try await SampleMaker.videoSamples(.h264, width: 160, height: 120, frames: 30)
            let second = try await SampleMaker.videoSamples(
                .h264,
                width: 160,
                height: 120,
                frames: 30,
                from: 5
            )
            let outcome = try await record("a.mkv", expecting: [.video]) { recorder in
                publish(first, [])
                let next = SampleHub()
                await recorder.record(next, kind: .video, codec: .h264)
                for sample in second { next.publish(sample) }
            }
            #expect(outcome.saved.count == 1)
            let times = try await ProbedFile.times(of: "v", in: folder.path("a.mkv"))
            #expect(times.count == 60)
            #expect(abs((times.last ?? 0) - 5.967) < 0.01)
        }

        @Test("A file that cannot be opened is reported in a single failure, and no recording is saved")
        func unwritable() async throws {
            let videoSamples = try await SampleMaker.videoSamples(.h264, width: 160, height: 120, frames: 30)
            let outcome = try await record("a.mkv", expecting: [.video]) { _ in
                try FileManager.default.removeItem(atPath: folder.path("a.mkv"))
                try FileManager.default.createDirectory(
                    atPath: folder.path("a.mkv"),
                    withIntermediateDirectories: false
                )
                publish(videoSamples, [])
            }
            #expect(outcome.saved.isEmpty)
            #expect(outcome.failures.count == 1)
        }

        @Test("A full disk is reported as the reason for the failure") func fullDisk() async throws {
            let videoSamples = try await SampleMaker.videoSamples(.h264, width: 160, height: 120, frames: 30)
            try FileManager.default.createSymbolicLink(
                atPath: folder.path("a.mkv"),
                withDestinationPath: "/dev/full"
            )
            let outcome = try await record("a.mkv", expecting: [.video], overwrite: true) { _ in
                publish(videoSamples, [])
            }
            #expect(outcome.saved.isEmpty)
            guard case .recording(let message, _) = outcome.failures.first else {
                Issue.record("no failure of recording: \(outcome.failures)")
                return
            }
            #expect(message.contains("the disk is full"))
        }
    }
}
