import Basics
import CallCore
import GStreamerKit
import Testing

@testable import CallMedia
@testable import MediaKit

extension RealTime {
    @Suite("Detection of sources that deliver no samples", .timeLimit(.minutes(4)))
    @MediaActor
    struct SilenceWatchTests {
        @Test("A source that delivers no samples for the time limit is reported, unless it is paused")
        func reported() async {
            let hub = SampleHub()
            let (events, silence) = AsyncStream.makeStream(of: Void.self)
            let watch = SilenceWatch([SourceTrack(kind: .video, format: .raw, hub: hub)], limit: 1) {
                silence.yield()
            }
            watch.set(isOn: true)
            watch.set(isOn: false)
            watch.set(isOn: true)
            var iterator = events.makeAsyncIterator()
            #expect(await iterator.next() != nil)
            await watch.close()
            silence.finish()
            #expect(await iterator.next() == nil)
        }
    }
}
