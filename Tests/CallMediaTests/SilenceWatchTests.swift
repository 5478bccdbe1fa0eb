import CallCore
import GStreamerKit
import Testing

@testable import CallMedia

extension RealTime {
    @Suite("Detection of silent sources", .timeLimit(.minutes(1)))
    @MediaActor
    struct SilenceWatchTests {
        @Test("Lasting silence is reported, but not while the source is paused")
        func told() async {
            let hub = SampleHub()
            let (news, silence) = AsyncStream.makeStream(of: Void.self)
            let watch = SilenceWatch([SourceTrack(kind: .video, format: .raw, hub: hub)], limit: 1) {
                silence.yield()
            }
            watch.set(isOn: true)
            watch.set(isOn: false)
            watch.set(isOn: true)
            var told = news.makeAsyncIterator()
            #expect(await told.next() != nil)
            await watch.close()
            silence.finish()
            #expect(await told.next() == nil)
        }
    }
}
