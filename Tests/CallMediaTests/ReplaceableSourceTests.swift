import CallCore
import GStreamerKit
import Synchronization
import Testing

@testable import CallMedia

extension RealTime {
    @Suite("A camera that vanishes", .timeLimit(.minutes(1)))
    @MediaActor
    struct ReplaceableSourceTests {
        private let failures = AsyncStream.makeStream(of: MediaFailure.self)
        private var news: SourceEvents {
            SourceEvents(failed: { [failures] in failures.continuation.yield($0) })
        }
        private let losses = SourceLosses()

        /// Breaks after a second.
        private func camera() throws -> ReplaceableSource.Numbered {
            let (told, number) = losses.next(news)
            let source = try LiveSource(
                description: "videotestsrc is-live=true ! video/x-raw,format=I420,width=1280,height=720,"
                    + "framerate=30/1 ! identity error-after=30 ! appsink name=video",
                news: told
            ) { .source(message: "the camera failed: \($0)", hint: "") }
            return (source, number)
        }

        @Test("The test video goes on in its place, told with the reason, in the same encoded stream")
        func replaced() async throws {
            let (notices, notice) = AsyncStream.makeStream(of: MediaNotice.self)
            let opener = SourceOpener(
                configuration: MediaConfiguration(
                    source: .camera(nil),
                    testVideo: Project.testVideo,
                    library: Project.library
                ),
                news: news
            ) { notice.yield($0) }
            let source = ReplaceableSource(
                try camera(),
                losses: losses,
                news: news
            ) { [losses, news] in (try await opener.openReplacement(for: $0), losses.next(news).number) }
            let encoder = try EncoderPipeline(
                try #require(source.tracks.first),
                with: "vp8",
                bitrate: 300_000,
                library: Project.library,
                failures: failures.continuation
            )
            let sent = RecordedTrack(encoder.hub)
            try source.connectionIsUp()
            var told = notices.makeAsyncIterator()
            guard case .source("file", "webRtcTestVideo.mp4", _, nil, let reason?) = await told.next() else {
                Issue.record("the change is not told")
                return
            }
            #expect(reason.contains("the camera failed"))
            await sent.reach(60)
            #expect(sent.gaps.allSatisfy { $0 > 0 })
            await source.close()
            await encoder.close()
        }

        @Test("Where nothing can take its place the loss is told")
        func nothingElse() async throws {
            struct Absent: Error {}
            let source = ReplaceableSource(
                try camera(),
                losses: losses,
                news: news
            ) { _ in throw Absent() }
            try source.connectionIsUp()
            var told = failures.stream.makeAsyncIterator()
            guard case .source(let message, _) = await told.next() else {
                Issue.record("it is told as something else")
                return
            }
            #expect(message.contains("the camera failed"))
            await source.close()
        }

        @Test("What comes again may be lost again, and each time another goes on")
        func again() async throws {
            let source = ReplaceableSource(try camera(), losses: losses, news: news) { [self] _ in
                try camera()
            }
            let sent = RecordedTrack(source.tracks[0].hub)
            try source.connectionIsUp()
            await sent.reach(70)  // more than two cameras have in them
            await source.close()
        }

        @Test("The loss of a source that was replaced by hand meanwhile replaces nothing")
        func late() async throws {
            let (replaced, replacing) = AsyncStream.makeStream(of: MediaFailure.self)
            let (first, second) = (losses.next(news), losses.next(news))
            let source = ReplaceableSource((EmptySource(), first.number), losses: losses, news: news) {
                loss in
                replacing.yield(loss)
                throw CancellationError()
            }
            await source.replace(by: (EmptySource(), second.number))
            first.news.failed(.source(message: "late", hint: ""))
            second.news.failed(.source(message: "now", hint: ""))
            var losses = replaced.makeAsyncIterator()
            #expect(await losses.next() == .source(message: "now", hint: ""))
            await source.close()
        }

        @Test("A loss that cannot be made good is none where another source was taken meanwhile")
        func overtaken() async throws {
            struct Absent: Error {}
            let (first, second) = (losses.next(news), losses.next(news))
            let (begun, begins) = AsyncStream.makeStream(of: Void.self)
            let (allowed, allows) = AsyncStream.makeStream(of: Void.self)
            let source = ReplaceableSource((EmptySource(), first.number), losses: losses, news: news) { _ in
                begins.yield()
                for await _ in allowed { break }
                throw Absent()
            }
            first.news.failed(.source(message: "first", hint: ""))
            for await _ in begun { break }
            await source.replace(by: (EmptySource(), second.number))
            allows.yield()
            second.news.failed(.source(message: "second", hint: ""))
            for await _ in begun { break }
            allows.yield()
            var told = failures.stream.makeAsyncIterator()
            #expect(await told.next() == .source(message: "second", hint: ""))
            await source.close()
        }
    }
}
