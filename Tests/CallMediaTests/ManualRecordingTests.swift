import Basics
import CallCore
import Foundation
import Testing

@testable import CallMedia
@testable import MediaKit

extension RealTimeFiles {
    @Suite(
        "Recordings and snapshots during a call",
        .enabled(if: Tool.areInstalled, Tool.reason),
        .timeLimit(.minutes(4))
    )
    struct ManualRecordingTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private func endpoint(_ change: (inout MediaConfiguration) throws -> Void = { _ in }) throws
            -> Endpoint
        {
            try Endpoint {
                $0.outputFolders = OutputFolders(
                    videos: folder.path,
                    pictures: folder.path,
                    names: [.room: "7"]
                )
                try change(&$0)
            }
        }

        /// Runs `body` during a call in which video flows, and then closes the call.
        ///
        /// - Parameters:
        ///   - callee: the called endpoint.
        ///   - body: receives the callee and the attempt.
        /// - Returns: the callee's notices.
        /// - Throws: the error of the call or of `body`.
        private func inCall(
            _ callee: Endpoint,
            _ body: (Endpoint, Endpoint.Attempt) async throws -> Void
        ) async throws -> [MediaNotice] {
            let caller = try Endpoint()
            let attempt = try await Endpoint.Attempt(caller, callee)
            _ = await attempt.run(until: 1)
            try await body(callee, attempt)
            await attempt.close()
            await caller.media.finish()
            await callee.media.finish()
            return await callee.notices()
        }

        private func refusal(_ body: () async throws -> Void) async -> MediaRefusal.Reason? {
            do {
                try await body()
                return nil
            } catch { return (error as? MediaRefusal)?.reason }
        }

        @Test("Both sides are recorded to one file, and a second recording gets its own file")
        func bothSides() async throws {
            var paths: [String] = []
            let notices = try await inCall(try endpoint()) { callee, attempt in
                await callee.media.announcePeer("Ann/../x")
                for _ in 0..<2 {
                    let path = try await callee.media.startRecording(to: nil, sides: nil)
                    _ = await attempt.run(until: 3)
                    try await callee.media.stopRecording()
                    paths.append(path)
                    let file = try await ProbedFile.read(path)
                    #expect(file.codecs == ["h264", "opus", "h264", "opus"])
                    let attributes = try FileManager.default.attributesOfItem(atPath: path)
                    #expect(attributes[.posixPermissions] as? Int == 0o600, "nobody named the place")
                    #expect(file.duration > 1 && file.duration < 20)
                    #expect(file.streams.allSatisfy { $0.frames > 15 && $0.start < 1.5 }, "\(file.streams)")
                }
            }
            #expect(Set(paths).count == 2)
            #expect(paths.allSatisfy { $0.hasPrefix("\(folder.path)/7-Ann_.._x-20") && $0.hasSuffix(".mkv") })
            let reported = notices.compactMap { notice -> String? in
                switch notice {
                case .recordingStarted(let path, let sides) where sides.count == 2: "begun \(path)"
                case .recordingSaved(let saved): "saved \(saved.path)"
                default: nil
                }
            }
            #expect(reported == paths.flatMap { ["begun \($0)", "saved \($0)"] })
        }

        @Test("A refused recording reports its reason and leaves no file")
        func refusals() async throws {
            let notices = try await inCall(try endpoint()) { [folder] callee, _ in
                let media = callee.media
                try Data().write(to: URL(fileURLWithPath: folder.path("there.mkv")))
                let cases: [(String, Set<MediaSide>?, MediaRefusal.Reason)] = [
                    ("", nil, .badPath), ("a\0.mkv", nil, .badPath), ("a.avi", nil, .badPath),
                    ("mkv", nil, .badPath), ("{nobody}.mkv", nil, .badPath),
                    (folder.path("there.mkv"), nil, .badPath), (folder.path("none/a.mkv"), nil, .badPath),
                    ("/proc/a.mkv", nil, .badPath), (folder.path("a.webm"), nil, .badFormat),
                    (folder.path("a.mp4"), [.remote, .local], .badFormat),
                    (folder.path(String(repeating: "x", count: 300) + ".mkv"), nil, .badPath),
                ]
                for (path, sides, reason) in cases {
                    #expect(
                        await refusal { _ = try await media.startRecording(to: path, sides: sides) }
                            == reason,
                        "\(path)"
                    )
                }
                #expect(await refusal { try await media.stopRecording() } == .notRecording)
                #expect(folder.names == ["there.mkv"])
                _ = try await media.startRecording(to: folder.path("a.mkv"), sides: nil)
                #expect(
                    await refusal { _ = try await media.startRecording(to: nil, sides: nil) }
                        == .alreadyRecording
                )
            }
            #expect(notices.contains { if case .recordingStarted = $0 { true } else { false } })
            #expect(!notices.contains { if case .failed = $0 { true } else { false } })
        }

        @Test("A failed recording does not end the call, and another recording may follow")
        func failure() async throws {
            let copy = folder.path("pipelines")
            try FileManager.default.copyItem(atPath: Project.library.directory, toPath: copy)
            let path = "\(copy)/recorders/mkv.pipeline"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            try text.replacing("! filesink", with: "! identity error-after=3 ! filesink")
                .write(toFile: path, atomically: true, encoding: .utf8)
            let library = PipelineLibrary(directory: copy)
            let notices = try await inCall(try endpoint { $0.library = library }) { callee, attempt in
                _ = try await callee.media.startRecording(to: nil, sides: nil)
                // It may have failed already, so only its end is awaited.
                var states = callee.media.recordingPaths.makeAsyncIterator()
                while let path = await states.next(), path != nil {}
                let seen = await attempt.run(until: 2)
                #expect(!seen[1].contains { if case .failed = $0 { true } else { false } })
                _ = try await callee.media.startRecording(to: folder.path("b.mp4"), sides: nil)
                _ = await attempt.run(until: 3)
            }
            let failed = notices.filter { if case .recordingFailed = $0 { true } else { false } }
            #expect(failed.count == 1)
            #expect(try await ProbedFile.read(folder.path("b.mp4")).codecs == ["h264", "opus"])
        }

        @Test("A recording continues in the next attempt and is closed with the call")
        func nextAttempt() async throws {
            let (caller, callee) = (try Endpoint(), try endpoint())
            let path = folder.path("a.mkv")
            for number in 1...2 {
                let attempt = try await Endpoint.Attempt(caller, callee)
                _ = await attempt.run(until: 1)
                if number == 1 { _ = try await callee.media.startRecording(to: path, sides: [.remote]) }
                _ = await attempt.run(until: 3)
                await attempt.close()
            }
            await callee.media.callEnded()
            #expect(await refusal { try await callee.media.stopRecording() } == .notRecording)
            await caller.media.finish()
            await callee.media.finish()
            let times = try await ProbedFile.times(of: "v", in: path)
            #expect(times == times.sorted() && times.count > 50)
            #expect(await callee.saved().map(\.path) == [path])
        }

        @Test("A snapshot of the peer is taken on request", arguments: ["jpg", "png"])
        func snapshot(_ ending: String) async throws {
            let path = folder.path("peer.\(ending)")
            let notices = try await inCall(try endpoint()) { callee, _ in
                #expect(try await callee.media.takeSnapshot(to: path) == path)
                #expect(await refusal { _ = try await callee.media.takeSnapshot(to: path) } == .badPath)
                #expect(await refusal { _ = try await callee.media.takeSnapshot(to: "a.gif") } == .badPath)
                let more = [
                    try await callee.media.takeSnapshot(to: nil),
                    try await callee.media.takeSnapshot(to: nil),
                ]
                #expect(Set(more).count == 2 && more.allSatisfy { $0.hasSuffix(".png") })
            }
            let video = try #require(try await ProbedFile.read(path).video)
            #expect((video.width, video.height) == (1280, 720))
            #expect(notices.count { if case .snapshotSaved = $0 { true } else { false } } == 3)
        }

        @Test("Without video from the peer, a snapshot is refused and leaves no file")
        func noFrame() async throws {
            let callee = try endpoint()
            #expect(await refusal { _ = try await callee.media.takeSnapshot(to: nil) } == .noFrame)
            #expect(
                await refusal { _ = try await callee.media.startRecording(to: nil, sides: nil) } == .notReady
            )
            await callee.media.finish()
            #expect(folder.names == [])
        }

        @Test("A folder name may contain braces, and a peer's name cannot lead out of the folder")
        func names() throws {
            let kept = OutputFolders(videos: "/tmp/a{b}", names: [.room: "7"])
            let first = try #require(Array(kept.video).first)
            let path = try OutputPath(first, filling: kept.names, peer: "../../etc").template.path
            #expect(path.hasPrefix("/tmp/a{b}/7-_._.._etc-"))
        }
    }
}
