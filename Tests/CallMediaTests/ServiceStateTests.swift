import Basics
import CallCore
import Foundation
import GStreamerKit
import Testing

@testable import CallMedia
@testable import MediaKit

extension RealTime {
    @Suite("State of a media service across attempts", .timeLimit(.minutes(4)))
    struct ServiceStateTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        /// Returns a copy of the project's templates with one of them changed.
        private func library(_ name: String, _ change: (String) -> String) throws -> PipelineLibrary {
            let copy = folder.path("pipelines")
            try FileManager.default.copyItem(atPath: Project.library.directory, toPath: copy)
            let path = "\(copy)/\(name).pipeline"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            try change(text).write(toFile: path, atomically: true, encoding: .utf8)
            return PipelineLibrary(directory: copy)
        }

        @Test(
            "Audio or video that is turned off before the source opens is not sent",
            arguments: MediaKind.allCases
        )
        @MediaActor
        func early(_ kind: MediaKind) async throws {
            let endpoint = try Endpoint()
            if kind == .audio {
                await endpoint.media.setMuted(true)
            } else {
                await endpoint.media.setCameraOff(true)
            }
            try await endpoint.media.prepare()
            #expect(endpoint.media.outgoingMedia?.closed == [kind])
            await endpoint.media.finish()
        }

        @Test("A cancelled preparation ends immediately")
        func cancelledPreparation() async throws {
            // Without cancellation, it would fail after ten seconds.
            let slow = try library("sources/file") {
                $0.replacing("parsebin", with: "identity sleep-time=500000 ! parsebin")
            }
            let endpoint = try Endpoint { $0.library = slow }
            let preparation = Task { try await endpoint.media.prepare() }
            preparation.cancel()
            await #expect(throws: CancellationError.self) { try await preparation.value }
            await endpoint.media.finish()
        }

        @Test("A preparation that one task cancels starts over for another waiting task")
        func sharedPreparation() async throws {
            let endpoint = try Endpoint()
            let first = Task { try await endpoint.media.prepare() }
            let second = Task { try await endpoint.media.prepare() }
            first.cancel()
            _ = try? await first.value  // either call may be the first
            try await second.value
            #expect(await endpoint.media.outgoingMedia != nil)
            await endpoint.media.finish()
        }

        @Test("A failure while the last session closes is reported")
        @MediaActor
        func failureWhileClosing() async throws {
            let endpoint = try Endpoint { $0.source = .none }
            let session = try await endpoint.media.makeSession(role: .caller, iceServers: [])
            let live = try #require(session as? LiveMediaSession)
            async let closing: Void = session.close()
            while live.closing == nil { await Task.yield() }
            let failure = MediaFailure.recording(message: "the disk is full", hint: "")
            endpoint.media.fail(failure)
            await closing
            await endpoint.media.finish()
            #expect(await endpoint.notices().contains(.failed(failure)))
        }

        @Test("The failure of an encoder is reported as a failure of the source")
        func brokenEncoder() async throws {
            let broken = try library("encoders/vp8") {
                $0.replacing("! appsink", with: "! identity error-after=20 ! appsink")
            }
            let caller = try Endpoint {
                $0.codecs = [.vp8, .opus]
                $0.library = broken
            }
            let seen = try await Endpoint.hold(caller, try Endpoint { $0.source = .none }, until: 5)
            #expect(
                seen[0].contains { event in
                    if case .failed(.local(.source)) = event { true } else { false }
                }
            )
        }

        @Test("A rejected local session description is a pipeline failure and is not blamed on the peer")
        func ownDescription() {
            guard case .local(.pipeline) = CallMediaFailure(GStreamerError.rejected("no")) else {
                Issue.record("it is told as another failure")
                return
            }
        }

        @Test("Between two attempts, no media is sent or recorded")
        @MediaActor
        func rest() async throws {
            let path = folder.path("sent.mkv")
            let caller = try Endpoint {
                $0.codecs = [.vp8, .opus]
                $0.localRecording = try RecordingFile(path: path, container: .mkv, overwrite: false)
            }
            let callee = try Endpoint { $0.source = .none }
            let attempt = try await Endpoint.Attempt(caller, callee)
            _ = await attempt.run(until: 1)
            let outgoingMedia = try #require(caller.media.outgoingMedia)
            #expect(!outgoingMedia.isIdle)
            await attempt.close()
            #expect(outgoingMedia.isIdle)
            #expect(caller.media.recordings?.isRecording(.local) == false)
            let next = try await Endpoint.Attempt(caller, callee)
            let seen = await next.run(until: 2)
            #expect(seen[1].contains(.firstFrame(.video)))
            #expect(caller.media.recordings?.isRecording(.local) == true)
            await next.close()
            await caller.media.finish()
            await callee.media.finish()
            #expect(await caller.saved().map(\.path) == [path])
        }
    }
}
