import Basics
import CallCore
import Foundation
import GLibKit
import GStreamerKit
import Testing

@testable import CallMedia
@testable import MediaKit

extension RealTime {
    @Suite("Lifecycle of a media service", .timeLimit(.minutes(4)))
    struct MediaServiceTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private func endpoint(_ source: SourceChoice, recording name: String? = nil) throws -> Endpoint {
            try Endpoint {
                $0.source = source
                $0.recording = try name.map {
                    try RecordingFile(path: folder.path($0), container: .mkv, overwrite: false)
                }
            }
        }

        @Test("Finishing an unprepared service removes the empty recording file and reports it as empty")
        func neverPrepared() async throws {
            let endpoint = try endpoint(.test, recording: "a.mkv")
            #expect(folder.names == ["a.mkv"])
            await endpoint.media.finish()
            #expect(folder.names == [])
            #expect(await endpoint.notices() == [.recordingEmpty(path: folder.path("a.mkv"))])
        }

        @Test("Finishing during preparation cancels the preparation")
        func whilePreparing() async throws {
            let endpoint = try endpoint(.test, recording: "a.mkv")
            async let preparation: Void = endpoint.media.prepare()
            await endpoint.media.finish()
            _ = try? await preparation  // either call may be the first
            #expect(folder.names == [])
            await #expect(throws: CancellationError.self) { try await endpoint.media.prepare() }
            await #expect(throws: CancellationError.self) {
                _ = try await endpoint.media.makeSession(role: .caller, iceServers: [])
            }
        }

        @Test("Finishing twice reports each notice once, even if the calling task is cancelled")
        func twice() async throws {
            let endpoint = try endpoint(.none, recording: "a.mkv")
            try await endpoint.media.prepare()
            await withTaskGroup(of: Void.self) { group in
                group.cancelAll()
                for _ in 0..<2 { group.addTask { await endpoint.media.finish() } }
            }
            let empty = await endpoint.notices().filter { $0 == .recordingEmpty(path: folder.path("a.mkv")) }
            #expect(empty.count == 1)
        }

        @Test(
            "A source that cannot be opened fails with a hint",
            arguments: [
                "/nowhere/at/all.mp4", "/dev/null", "/etc", "/dev/video99",
            ]
        )
        func badSource(_ path: String) async throws {
            let endpoint = try endpoint(path.hasPrefix("/dev/video") ? .camera(path) : .file(path))
            await #expect {
                try await endpoint.media.prepare()
            } throws: { error in
                guard case CallMediaFailure.local(.source(let message, let hint)) = error else {
                    return false
                }
                return message.contains(path) && !hint.isEmpty
            }
            await endpoint.media.finish()
        }

        @Test("A named pipe is rejected as a source without blocking")
        func pipe() async throws {
            let path = folder.path("pipe.mp4")
            #expect(mkfifo(path, 0o600) == 0)
            let endpoint = try endpoint(.file(path))
            await #expect(throws: CallMediaFailure.self) { try await endpoint.media.prepare() }
            await endpoint.media.finish()
        }

        @Test("Two recordings to the same file are rejected")
        func oneFile() async throws {
            let endpoint = try Endpoint {
                $0.source = .none
                $0.recording = try RecordingFile(
                    path: folder.path("a.mkv"),
                    container: .mkv,
                    overwrite: false
                )
                $0.localRecording = try RecordingFile(
                    path: folder.path("a.mkv"),
                    container: .mkv,
                    overwrite: true
                )
            }
            await #expect(throws: CallMediaFailure.self) { try await endpoint.media.prepare() }
            await endpoint.media.finish()
        }

        @Test("The preparation fails with the name of a missing pipeline template")
        func noLibrary() async throws {
            let endpoint = try Endpoint {
                $0.source = .pattern
                $0.library = PipelineLibrary(directory: folder.path)
            }
            await #expect {
                try await endpoint.media.prepare()
            } throws: { error in
                guard case CallMediaFailure.local(.pipeline(let element, _)) = error else { return false }
                return element == "sources/pattern"
            }
            await endpoint.media.finish()
        }

        @Test("A relay-only call without a usable TURN server fails")
        func relays() async throws {
            let endpoint = try Endpoint {
                $0.source = .none
                $0.relayOnly = true
            }
            await #expect(throws: CallMediaFailure.self) {
                _ = try await endpoint.media.makeSession(
                    role: .caller,
                    iceServers: [ICEServer(urls: ["turns:example.org", "stun:example.org", "nonsense"])]
                )
            }
            await endpoint.media.finish()
        }

        @Test("The test pattern is sent and received")
        func pattern() async throws {
            let seen = try await Endpoint.hold(try endpoint(.pattern), try endpoint(.none), until: 2)
            #expect(seen[1].contains(.firstFrame(.video)))
            #expect(seen[1].contains(.firstFrame(.audio)))
            // On a busy host, frames that arrive late make the rate of one second higher than that of the pattern.
            #expect(seen[1].statistics.last?.videoIn?.fps ?? 0 > 0)
        }

        @Test("Calls leave no session, thread or descriptor behind")
        func nothingLeft() async {
            await #expect(processExitsWith: .success) {
                for _ in 0..<2 { _ = try await Self.callOnce() }
                let (threads, descriptors) = (Self.count("task"), Self.count("fd"))
                for _ in 0..<4 {
                    let leftovers = try await Self.callOnce()
                    #expect(leftovers.allSatisfy { $0() })
                }
                #expect(Self.count("task") <= threads + 4)
                #expect(Self.count("fd") <= descriptors + 4)
            }
        }

        /// Runs a call up to the first video frame and returns checks that its objects have been released.
        private static func callOnce() async throws -> [@Sendable () -> Bool] {
            let (caller, callee) = (try Endpoint(), try Endpoint())
            let attempt = try await Endpoint.Attempt(caller, callee)
            weak let session = attempt.caller as? LiveMediaSession
            weak let service = caller.media
            let pipeline = await weakPipeline(of: attempt.caller)
            async let passing: Void = pass(from: attempt.callee, to: attempt.caller)
            for await event in attempt.caller.events {
                if case .localCandidate(let candidate) = event { await attempt.callee.add(candidate) }
                if event == .firstFrame(.video) { break }
            }
            await attempt.close()
            await passing
            await caller.media.finish()
            await callee.media.finish()
            return [{ session == nil }, { service == nil }, { pipeline?.object == nil }]
        }

        @MediaActor
        private static func weakPipeline(of session: any MediaSession) -> WeakObjectRef? {
            (session as? LiveMediaSession).map { WeakObjectRef($0.pipeline.object) }
        }

        private static func pass(from session: any MediaSession, to other: any MediaSession) async {
            for await event in session.events {
                if case .localCandidate(let candidate) = event { await other.add(candidate) }
            }
        }

        private static func count(_ folder: String) -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count) ?? 0
        }
    }
}
