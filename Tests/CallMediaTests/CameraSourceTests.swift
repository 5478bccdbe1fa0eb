import CallCore
import GStreamerKit
import Synchronization
import Testing

@testable import CallMedia

extension RealTime {
    @Suite("A camera that vanishes", .timeLimit(.minutes(1)))
    @MediaActor
    struct CameraSourceTests {
        private let failures = AsyncStream.makeStream(of: MediaFailure.self)
        private let losses = AsyncStream.makeStream(of: MediaFailure.self)

        /// Breaks after a second.
        private func camera() throws -> LiveSource {
            try LiveSource(
                description: "videotestsrc is-live=true ! video/x-raw,format=I420,width=1280,height=720,"
                    + "framerate=30/1 ! identity error-after=30 ! appsink name=video",
                failures: losses.continuation
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
                failures: failures.continuation
            ) { notice.yield($0) }
            let source = CameraSource(
                try camera(),
                losses: losses.stream,
                failures: failures.continuation,
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
            let source = CameraSource(
                try camera(),
                losses: losses.stream,
                failures: failures.continuation
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
    }
}
