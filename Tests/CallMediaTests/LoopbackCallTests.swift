import Basics
import CallCore
import Foundation
import Testing

@testable import CallMedia
@testable import MediaKit

extension RealTime {
    @Suite(
        "Calls between two media services in one process",
        .enabled(if: Tool.areInstalled, Tool.reason),
        .timeLimit(.minutes(4))
    )
    struct LoopbackCallTests {
        private static func file(_ path: String) throws -> RecordingFile {
            let container = try #require(Container(path: path))
            return try RecordingFile(path: path, container: container, overwrite: false)
        }

        @Test("Caller and callee record each other, and recordings survive kill -9")
        func exchange() async throws {
            let folder = try TemporaryFolder()
            let caller = try Endpoint { $0.recording = try Self.file(folder.path("caller.mkv")) }
            let callee = try Endpoint {
                $0.recording = try Self.file(folder.path("callee.mp4"))
                $0.localRecording = try Self.file(folder.path("local.mkv"))
            }
            let names = ["caller.mkv", "callee.mp4", "local.mkv"]
            let seen = try await Endpoint.hold(caller, callee, until: 4) {
                for name in names {  // the state that kill -9 would leave
                    try FileManager.default.copyItem(
                        atPath: folder.path(name),
                        toPath: folder.path("cut-\(name)")
                    )
                }
            }
            for events in seen { try Self.expectWholeCall(events) }
            for endpoint in [caller, callee] {
                let saved = await endpoint.saved()
                #expect(saved.allSatisfy { $0.tracks == ["H264", "OPUS"] && $0.seconds > 3.8 })
            }
            for name in names {
                let whole = try await ProbedFile.read(folder.path(name))
                #expect(whole.codecs == ["h264", "opus"])
                #expect(whole.duration > 3.8)
                #expect((whole.video?.frames ?? 0) >= 115)
                #expect(abs((whole.video?.start ?? 9) - (whole.audio?.start ?? -9)) < 0.1)
                let cut = folder.path("cut-\(name)")
                #expect((try await ProbedFile.times(of: "v", in: cut).last ?? 0) > 3.4)
                #expect((try await ProbedFile.times(of: "a", in: cut).last ?? 0) > 3.4)
                #expect(try await ProbedFile.read(cut).video?.frames ?? 0 >= 100)
            }
        }

        /// Expects complete media in the last second, with a tolerance for slow hosts, on which frames come later or together.
        private static func expectWholeCall(_ events: [MediaEvent]) throws {
            for event in [MediaEvent.connected, .iceConnected, .firstFrame(.video), .firstFrame(.audio)] {
                #expect(events.contains(event))
            }
            let statistics = events.statistics
            let (before, last) = (try #require(statistics.dropLast().last), try #require(statistics.last))
            let video = try #require(last.videoIn)
            #expect((10...60).contains(video.fps))
            #expect((video.width, video.height) == (1280, 720))
            #expect(video.lost == 0)
            let packets = try #require(last.audioIn).packets - (before.audioIn?.packets ?? 0)
            #expect((20...100).contains(packets))
            #expect(last.videoOut?.passthrough == true)
            #expect(last.audioOut?.passthrough == true)
        }

        @Test("A peer without a source still receives video and audio")
        func receiveOnly() async throws {
            let (caller, callee) = (try Endpoint { $0.source = .none }, try Endpoint())
            let seen = try await Endpoint.hold(caller, callee, until: 1)
            #expect(seen[0].contains(.firstFrame(.video)))
            #expect(seen[0].contains(.firstFrame(.audio)))
            #expect(!seen[1].contains(.firstFrame(.video)))
            #expect(seen[1].statistics.last?.videoOut != nil)
        }

        @Test(
            "A file that cannot be sent unchanged is transcoded, and a notice states the reason",
            arguments: [
                ("b.mp4", "-c:v libx264 -bf 2 -c:a aac -ac 6", [Codec.h264, .opus], "H264"),
                (
                    "hevc.mkv", "-c:v libx265 -x265-params log-level=none -c:a aac -ac 1", [.vp8, .opus],
                    "VP8"
                ),
                ("high.mp4", "-c:v libx264 -profile:v high -bf 0 -c:a libmp3lame", [.vp8, .opus], "VP8"),
            ]
        )
        func transcoded(_ name: String, _ options: String, _ codecs: [Codec], _ codec: String) async throws {
            let folder = try TemporaryFolder()
            try await Tool.ffmpeg(
                "-f lavfi -i testsrc2=size=321x241:rate=25:duration=2 -f lavfi -i sine=duration=2",
                options,
                to: folder.path(name)
            )
            let caller = try Endpoint { $0.source = .file(folder.path(name)) }
            let callee = try Endpoint {
                $0.codecs = codecs
                $0.source = .none
                $0.recording = try Self.file(folder.path("seen.mkv"))
            }
            // The file has begun to repeat, regardless of the encoder's speed.
            let rounds: @Sendable (CallStatistics) -> Bool = { statistics in
                statistics.videoIn?.frames ?? 0 >= 75 && statistics.audioIn?.packets ?? 0 >= 150
            }
            let seen = try await Endpoint.hold(caller, callee, until: 1, enough: rounds)
            let last = try #require(seen[1].statistics.last)
            #expect(last.videoIn?.codec == codec)
            #expect(seen[0].statistics.last?.videoOut?.passthrough == false)
            let probed = try await ProbedFile.read(folder.path("seen.mkv"))
            #expect(probed.codecs == [codec.lowercased(), "opus"])
            #expect((probed.video?.frames ?? 0) > 40)
            let reasons = await caller.notices().compactMap {
                if case .source(_, _, _, .encoded(let reason)?, _) = $0 { reason } else { nil }
            }
            #expect(reasons.count == 1)
        }

        @Test("A second attempt continues the same recording")
        func secondAttempt() async throws {
            let folder = try TemporaryFolder()
            let caller = try Endpoint()
            let callee = try Endpoint { $0.recording = try Self.file(folder.path("a.mkv")) }
            for _ in 0..<2 {
                let attempt = try await Endpoint.Attempt(caller, callee)
                let seen = await attempt.run(until: 1)
                for events in seen { #expect(events.contains(.firstFrame(.video))) }
                await attempt.close()
            }
            await caller.media.finish()
            await callee.media.finish()
            #expect(await callee.saved().map(\.path) == [folder.path("a.mkv")])
            for track in ["v", "a"] {
                let times = try await ProbedFile.times(of: track, in: folder.path("a.mkv"))
                #expect(times == times.sorted())
                #expect(times.count > 50)
            }
            #expect(try await ProbedFile.read(folder.path("a.mkv")).video?.frames ?? 0 > 50)
        }

        @Test("Lost packets are counted in the statistics and in the totals")
        func loss() async throws {
            let folder = try TemporaryFolder()
            let caller = try Endpoint { $0.library = try Self.library(losing: 0.2, in: folder) }
            let callee = try Endpoint { $0.source = .none }
            let seen = try await Endpoint.hold(caller, callee, until: 3)
            let last = try #require(seen[1].statistics.last)
            let (video, audio) = (try #require(last.videoIn), try #require(last.audioIn))
            for (lost, packets) in [(video.lost, video.packets), (audio.lost, audio.packets)] {
                #expect((0.05...0.4).contains(Double(lost) / Double(lost + packets)))
            }
            #expect(await callee.media.totals.lost >= video.lost + audio.lost)
            #expect(await caller.media.totals.lost == 0)
        }

        /// Creates templates whose payloaders drop the fraction `part` of the packets.
        private static func library(losing part: Double, in folder: TemporaryFolder) throws -> PipelineLibrary
        {
            let directory = folder.path("pipelines")
            try FileManager.default.copyItem(atPath: Project.library.directory, toPath: directory)
            for name in ["h264", "opus"] {
                let whole = try Project.library.description("payloaders/\(name)")
                let lossy = "\(whole) ! identity drop-probability=\(part)"
                try lossy.write(
                    toFile: "\(directory)/payloaders/\(name).pipeline",
                    atomically: true,
                    encoding: .utf8
                )
            }
            return PipelineLibrary(directory: directory)
        }

        @Test("A camera sends no video while it is off, and complete video after it is switched on")
        func cameraOff() async throws {
            let (caller, callee) = (try Endpoint(), try Endpoint { $0.source = .none })
            let attempt = try await Endpoint.Attempt(caller, callee)
            _ = await attempt.run(until: 1)
            await caller.media.setCameraOff(true)
            let covered = await attempt.run(until: 8)
            #expect(covered[1].statistics.last?.videoIn?.fps == 0)
            #expect((40...60).contains(covered[1].statistics.audioPackets))
            await caller.media.setCameraOff(false)
            let open = await attempt.run(until: 3)
            #expect(open[1].statistics.last?.videoIn?.fps ?? 0 > 10)
            await attempt.close()
            await caller.media.finish()
            await callee.media.finish()
        }

        @Test("Peers that send only RTCP do not cause a stall")
        func silentPeers() async throws {
            let folder = try TemporaryFolder()
            try await Tool.ffmpeg(
                "-f lavfi -i testsrc2=size=320x240:rate=25:duration=2",
                "-c:v libx264 -profile:v baseline -bf 0",
                to: folder.path("a.mp4")
            )
            let (caller, callee) = (
                try Endpoint { $0.source = .file(folder.path("a.mp4")) },
                try Endpoint { $0.source = .file(folder.path("a.mp4")) }
            )
            let attempt = try await Endpoint.Attempt(caller, callee)
            _ = await attempt.run(until: 1)
            await caller.media.setCameraOff(true)
            await callee.media.setCameraOff(true)
            let seen = await attempt.run(until: 10)
            for events in seen {
                #expect(!events.contains(.stalled))
                #expect(events.statistics.last?.videoIn?.fps == 0)
            }
            await caller.media.setCameraOff(false)
            let frames = seen[1].statistics.last?.videoIn?.frames ?? 0
            let open = await attempt.run(until: 1) { $0.videoIn?.frames ?? 0 > frames + 25 }
            #expect(!open[1].contains(.stalled))
            await attempt.close()
            await caller.media.finish()
            await callee.media.finish()
        }
    }
}

extension [CallStatistics] {
    /// The number of audio packets received in the last second.
    fileprivate var audioPackets: Int {
        guard let last = last?.audioIn?.packets, let before = dropLast().last?.audioIn?.packets else {
            return 0
        }
        return last - before
    }
}
