import CallCore
import GStreamerKit
import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Recording buffer", .timeLimit(.minutes(4)))
struct RecordingBufferTests {
    @Test("Samples keep their order, and one arrival event announces all of them")
    func order() async throws {
        let buffer = RecordingBuffer<RecordingWriter.Item>(maximumBytes: 1_000_000)
        let audioSamples = try await SampleMaker.audioSamples(packets: 20)
        let videoSamples = try await SampleMaker.videoSamples(.vp8, width: 64, height: 64, frames: 20)
        for (packet, frame) in zip(audioSamples, videoSamples) {
            buffer.append(RecordingWriter.Item(track: .audio, sample: packet))
            buffer.append(RecordingWriter.Item(track: .video, sample: frame))
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
        let buffer = RecordingBuffer<RecordingWriter.Item>(
            maximumBytes: videoSamples[..<10].reduce(0) { $0 + $1.heldBytes }
        )
        for frame in videoSamples[..<20] { buffer.append(RecordingWriter.Item(track: .video, sample: frame)) }
        #expect(buffer.takeAll().items.count == 10)
        for frame in videoSamples[20..<40] {
            buffer.append(RecordingWriter.Item(track: .video, sample: frame))
        }
        let (items, hasLost) = buffer.takeAll()
        #expect(items.first?.sample.presentationTime == videoSamples[30].presentationTime)
        #expect(hasLost)
        buffer.append(RecordingWriter.Item(track: .video, sample: videoSamples[60]))
        #expect(!buffer.takeAll().hasLost)
    }

    @Test("Closing a buffer returns its samples, and later ones are dropped") func closed() async throws {
        let buffer = RecordingBuffer<RecordingWriter.Item>(maximumBytes: 1_000_000)
        let audioSamples = try await SampleMaker.audioSamples(packets: 2)
        buffer.append(RecordingWriter.Item(track: .audio, sample: audioSamples[0]))
        #expect(buffer.close().items.count == 1)
        buffer.append(RecordingWriter.Item(track: .audio, sample: audioSamples[1]))
        #expect(buffer.close().items.isEmpty)
    }
}
