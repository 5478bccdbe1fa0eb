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
        private var news: SourceNews { SourceNews(failed: { [failures] in failures.continuation.yield($0) }) }
        private let losses = AsyncStream.makeStream(of: MediaFailure.self)

        /// Breaks after a second.
        private func camera() throws -> LiveSource {
            try LiveSource(
                description: "videotestsrc is-live=true ! video/x-raw,format=I420,width=1280,height=720,"
                    + "framerate=30/1 ! identity error-after=30 ! appsink name=video",
                news: SourceNews(failed: { [losses] in losses.continuation.yield($0) })
            ) { .source(message: "the camera failed: \($0)", hint: "") }
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
                losses: losses.stream,
                news: news,
                replacement: opener.openReplacement
            )
            let encoder = try EncoderStage(
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
                losses: losses.stream,
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
            let source = ReplaceableSource(try camera(), losses: losses.stream, news: news) { [self] _ in
                try camera()
            }
            let sent = RecordedTrack(source.tracks[0].hub)
            try source.connectionIsUp()
            await sent.reach(70)  // more than two cameras have in them
            await source.close()
        }
    }
}
