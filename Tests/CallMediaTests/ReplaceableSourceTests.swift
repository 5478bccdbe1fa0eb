import Basics
import CallCore
import GStreamerKit
import Synchronization
import Testing

@testable import CallMedia
@testable import MediaKit

extension RealTimeFiles {
    @Suite("Replacement of a lost camera", .timeLimit(.minutes(4)))
    @MediaActor
    struct ReplaceableSourceTests {
        private let failures = AsyncStream.makeStream(of: MediaFailure.self)
        private var events: SourceEvents {
            SourceEvents(failed: { [failures] in failures.continuation.yield($0) })
        }
        private let losses = SourceLosses()

        /// Creates a camera that fails after a second.
        private func camera() throws -> ReplaceableSource.Numbered {
            let (attemptEvents, number) = losses.next(events)
            let source = try LiveSource(
                description: "videotestsrc is-live=true ! video/x-raw,format=I420,width=1280,height=720,"
                    + "framerate=30/1 ! identity error-after=30 ! appsink name=video",
                events: attemptEvents
            ) { .source(message: "the camera failed: \($0)", hint: "") }
            return (source, number)
        }

        @Test("The test video replaces a failed camera in the same stream, and a notice states the reason")
        func replaced() async throws {
            let (notices, notice) = AsyncStream.makeStream(of: MediaNotice.self)
            let request = SourceRequest(
                choice: .camera(nil),
                settings: SourceSettings(),
                testVideo: Project.testVideo,
                kinds: Set(MediaKind.allCases),
                preferredCamera: nil,
                library: Project.library
            )
            let opener = SourceOpener(request: request, events: events) { notice.yield($0) }
            let source = ReplaceableSource(
                try camera(),
                losses: losses,
                events: events
            ) { [losses, events] in (try await opener.openReplacement(for: $0), losses.next(events).number) }
            let encoder = try EncoderPipeline(
                try #require(source.tracks.first),
                with: "vp8",
                bitrate: 300_000,
                library: Project.library,
                failures: failures.continuation
            )
            let sent = RecordedTrack(encoder.hub)
            try source.connectionIsUp()
            var iterator = notices.makeAsyncIterator()
            guard case .source("file", "webRtcTestVideo.mp4", _, nil, let reason?) = await iterator.next()
            else {
                Issue.record("the change is not told")
                return
            }
            #expect(reason.contains("the camera failed"))
            await sent.reach(60)
            #expect(sent.gaps.allSatisfy { $0 > 0 })
            await source.close()
            await encoder.close()
        }

        @Test("The loss of a camera is reported if no replacement can be opened")
        func nothingElse() async throws {
            struct Absent: Error {}
            let source = ReplaceableSource(
                try camera(),
                losses: losses,
                events: events
            ) { _ in throw Absent() }
            try source.connectionIsUp()
            var iterator = failures.stream.makeAsyncIterator()
            guard case .source(let message, _) = await iterator.next() else {
                Issue.record("it is told as something else")
                return
            }
            #expect(message.contains("the camera failed"))
            await source.close()
        }

        @Test("A replacement that fails is replaced as well")
        func again() async throws {
            let source = ReplaceableSource(try camera(), losses: losses, events: events) { [self] _ in
                try camera()
            }
            let sent = RecordedTrack(source.tracks[0].hub)
            try source.connectionIsUp()
            await sent.reach(70)  // more than two cameras deliver
            await source.close()
        }

        @Test("The loss of a source that was already replaced by the user is ignored")
        func late() async throws {
            let (replaced, replacing) = AsyncStream.makeStream(of: MediaFailure.self)
            let (first, second) = (losses.next(events), losses.next(events))
            let source = ReplaceableSource((EmptySource(), first.number), losses: losses, events: events) {
                loss in
                replacing.yield(loss)
                throw CancellationError()
            }
            await source.replace(by: (EmptySource(), second.number))
            first.events.failed(.source(message: "late", hint: ""))
            second.events.failed(.source(message: "now", hint: ""))
            var losses = replaced.makeAsyncIterator()
            #expect(await losses.next() == .source(message: "now", hint: ""))
            await source.close()
        }

        @Test("A failed replacement is ignored if another source was selected in the meantime")
        func overtaken() async throws {
            struct Absent: Error {}
            let (first, second) = (losses.next(events), losses.next(events))
            let (begun, begins) = AsyncStream.makeStream(of: Void.self)
            let (allowed, allows) = AsyncStream.makeStream(of: Void.self)
            let source = ReplaceableSource((EmptySource(), first.number), losses: losses, events: events) {
                _ in
                begins.yield()
                for await _ in allowed { break }
                throw Absent()
            }
            first.events.failed(.source(message: "first", hint: ""))
            for await _ in begun { break }
            await source.replace(by: (EmptySource(), second.number))
            allows.yield()
            second.events.failed(.source(message: "second", hint: ""))
            for await _ in begun { break }
            allows.yield()
            var iterator = failures.stream.makeAsyncIterator()
            #expect(await iterator.next() == .source(message: "second", hint: ""))
            await source.close()
        }
    }
}
