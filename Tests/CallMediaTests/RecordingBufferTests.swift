import CallCore
import GStreamerKit
import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Recording buffer", .timeLimit(.minutes(1)))
struct RecordingBufferTests {
    @Test("Samples keep their order, and one arrival event announces all of them")
    func order() async throws {
        let buffer = RecordingBuffer(maximumBytes: 1_000_000)
        let audioSamples = try await SampleMaker.audioSamples(packets: 20)
        let videoSamples = try await SampleMaker.videoSamples(.vp8, width: 64, height: 64, frames: 20)
        for (packet, frame) in zip(audioSamples, videoSamples) {
            buffer.append(packet, track: .audio)
            buffer.append(frame, track: .video)
        }
        let taken = buffer.takeAll()
        #expect(taken.items.count == 40)
        #expect(!taken.hasLost)
        #expect(taken.items.enumerated().allSatisfy { $1.track == ($0 % 2 == 0 ? .audio : .video) })
        #expect(buffer.takeAll().items.isEmpty)
        _ = buffer.close()
        #expect(await buffer.arrivals.reduce(into: 0) { count, _ in count += 1 } == 1)
    }

    @Test("Above the limit, samples are dropped up to the track's next keyframe, and one loss is reported")
    func limit() async throws {
        let videoSamples = try await SampleMaker.videoSamples(.vp8, width: 64, height: 64, frames: 61)
        let buffer = RecordingBuffer(maximumBytes: videoSamples[..<10].reduce(0) { $0 + $1.size })
        for frame in videoSamples[..<20] { buffer.append(frame, track: .video) }
        #expect(buffer.takeAll().items.count == 10)
        for frame in videoSamples[20..<40] { buffer.append(frame, track: .video) }
        let (items, hasLost) = buffer.takeAll()
        #expect(items.first?.sample.presentationTime == videoSamples[30].presentationTime)
        #expect(hasLost)
        buffer.append(videoSamples[60], track: .video)
        #expect(!buffer.takeAll().hasLost)
    }

    @Test("Closing a buffer returns its samples, and later ones are dropped") func closed() async throws {
        let buffer = RecordingBuffer(maximumBytes: 1_000_000)
        let audioSamples = try await SampleMaker.audioSamples(packets: 2)
        buffer.append(audioSamples[0], track: .audio)
        #expect(buffer.close().items.count == 1)
        buffer.append(audioSamples[1], track: .audio)
        #expect(buffer.close().items.isEmpty)
    }
}
