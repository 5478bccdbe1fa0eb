import Basics
import CallCore
import Foundation
import GStreamerKit
import Testing

@testable import CallMedia
@testable import MediaKit

extension RealTimeFiles {
    @Suite("Recording segments", .enabled(if: Tool.areInstalled, Tool.reason), .timeLimit(.minutes(4)))
    struct SegmentTests {
        private let folder: TemporaryFolder
        private let hubs = [
            MediaSide.remote: [SampleHub(), SampleHub()], .local: [SampleHub(), SampleHub()],
        ]

        init() throws { folder = try TemporaryFolder() }

        private typealias Sent = (side: MediaSide, kind: MediaKind, sample: MediaSample)

        /// Records samples in the order of their timestamps in segments of two seconds.
        ///
        /// As in real time, a segment's samples are published after the previous file was written to.
        ///
        /// - Parameters:
        ///   - name: the file name.
        ///   - sides: the sides to record.
        ///   - files: the expected file names.
        ///   - sent: the samples to record.
        /// - Returns: the saved recordings.
        /// - Throws: an error of the recording.
        private func record(
            _ name: String,
            _ sides: [MediaSide],
            into files: [String],
            _ sent: [Sent]
        ) async throws -> [SavedRecording] {
            let watched = try files.map { try WatchedFile(path: folder.path($0)) }
            let file = try RecordingFile(
                named: NameTemplate(folder.path(name)),
                container: try #require(Container(path: name)),
                overwrite: true,
                segmentLength: .seconds(2)
            )
            let (failures, failure) = AsyncStream.makeStream(of: MediaFailure.self)
            let recorder = await Recorder(
                file: file,
                library: Project.library,
                holdsBothSides: sides.count > 1,
                failures: failure
            ) { Issue.record("\($0)") }
            for side in sides {
                await recorder.expect(MediaKind.allCases, of: side)
                for (kind, hub) in zip([MediaKind.video, .audio], hubs[side] ?? []) {
                    await recorder.record(hub, kind: kind, codec: kind == .video ? .h264 : .opus, of: side)
                }
            }
            var rest = sent.sorted { time($0) < time($1) }[...]
            for (number, file) in watched.enumerated() {
                // The files start at five seconds and every two seconds after that.
                let next = 5 + 2 * Double(number + 1)
                publish(rest.prefix { time($0) < next - 0.1 })
                rest = rest.drop { time($0) < next - 0.1 }
                await file.reach(1)
            }
            publish(rest)
            let saved = await recorder.finish()
            failure.finish()
            for await failure in failures { Issue.record("\(failure)") }
            return saved
        }

        private func time(_ sent: Sent) -> Double { Double(sent.sample.presentationTime ?? 0) / 1e9 }

        private func publish(_ sent: some Sequence<Sent>) {
            for (side, kind, sample) in sent { hubs[side]?[kind == .video ? 0 : 1].publish(sample) }
        }

        private func side(_ side: MediaSide, from start: Double) async throws -> [Sent] {
            let videoSamples = try await SampleMaker.videoSamples(
                .h264,
                width: 160,
                height: 120,
                frames: 210,
                from: start
            )
            let audioSamples = try await SampleMaker.audioSamples(packets: 350, from: start)
            return videoSamples.map { (side, .video, $0) } + audioSamples.map { (side, .audio, $0) }
        }

        @Test(
            "Each segment starts at a keyframe where the previous one ends, and no frame is lost",
            arguments: ["a.mkv", "a.mp4"]
        )
        func oneSide(_ name: String) async throws {
            let files = (1...4).map { "a-\($0)\(name.suffix(4))" }
            let saved = try await record(name, [.remote], into: files, side(.remote, from: 5))
            #expect(saved.map(\.path) == files.map(folder.path))
            #expect(saved.map { $0.start.rounded() } == [0, 2, 4, 6])
            var counts = [0, 0]
            for recording in saved {
                let probed = try await ProbedFile.read(recording.path)
                counts[0] += probed.video?.frames ?? 0
                counts[1] += probed.audio?.frames ?? 0
                #expect(abs((probed.video?.start ?? 9) - (probed.audio?.start ?? -9)) < 0.05)
            }
            #expect(counts[0] == 210)
            #expect(counts[1] >= 349)
        }

        @Test("In a file of both sides, each side moves to the next segment at its own keyframe")
        func bothSides() async throws {
            let sent = try await side(.remote, from: 5) + side(.local, from: 5.5)
            let files = (1...4).map { "\($0).mkv" }
            let saved = try await record("{segment}.mkv", [.remote, .local], into: files, sent)
            #expect(saved.map(\.path) == files.map(folder.path))
            #expect(saved.allSatisfy { $0.tracks == ["H264", "OPUS", "H264", "OPUS"] })
            var frames = 0
            for recording in saved {
                let probed = try await ProbedFile.read(recording.path)
                for stream in probed.streams where stream.codec_type == "video" { frames += stream.frames }
            }
            #expect(frames == 420)
        }

        @Test("A file name that contains the peer's name is completed when the first file starts")
        func peer() async throws {
            let file = try RecordingFile(
                named: NameTemplate(folder.path("{peer}.mkv")),
                container: .mkv,
                overwrite: false
            )
            #expect(folder.names == [])
            var number = 1
            #expect(file.nextPath(from: &number, peer: "B/b") == folder.path("B_b.mkv"))
            try "precious".write(toFile: folder.path("B_b.mkv"), atomically: true, encoding: .utf8)
            #expect(file.nextPath(from: &number, peer: "B/b") == folder.path("B_b-2.mkv"))
        }

        @Test("A missing folder is reported before the call")
        func noFolder() {
            #expect(throws: MediaFailure.self) {
                try RecordingFile(
                    named: NameTemplate(folder.path("no/{peer}.mkv")),
                    container: .mkv,
                    overwrite: false
                )
            }
        }
    }
}
