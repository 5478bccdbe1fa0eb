import CallCore
import GStreamerKit
import Testing

@testable import CallMedia

@Suite("Recording buffer", .timeLimit(.minutes(1)))
struct RecordingBufferTests {
    @Test("Samples keep their order, and one event announces those gathered in a fifth of a second")
    func order() async throws {
        let buffer = RecordingBuffer(mostBytes: 1_000_000)
        let sound = try await SampleMaker.sound(packets: 20)
        let pictures = try await SampleMaker.pictures(.vp8, width: 64, height: 64, frames: 20)
        let start = ContinuousClock.now
        for (index, (packet, picture)) in zip(sound, pictures).enumerated() {
            let time = start + .milliseconds(20 * index)
            buffer.append(packet, track: .audio, at: time)
            buffer.append(picture, track: .video, at: time)
        }
        let taken = buffer.takeAll()
        #expect(taken.items.count == 40)
        #expect(!taken.hasLost)
        #expect(taken.items.enumerated().allSatisfy { $1.track == ($0 % 2 == 0 ? .audio : .video) })
        #expect(buffer.takeAll().items.isEmpty)
        _ = buffer.close()
        #expect(await buffer.dues.reduce(into: 0) { count, _ in count += 1 } == 1)
    }

    @Test("Samples wait for a fifth of a second, which begins anew after they were taken")
    func gathering() async throws {
        let buffer = RecordingBuffer(mostBytes: 1_000_000)
        let sound = try await SampleMaker.sound(packets: 3)
        let start = ContinuousClock.now
        buffer.append(sound[0], track: .audio, at: start)
        _ = buffer.takeAll()
        buffer.append(sound[1], track: .audio, at: start + .milliseconds(300))
        buffer.append(sound[2], track: .audio, at: start + .milliseconds(499))
        _ = buffer.close()
        #expect(await buffer.dues.reduce(into: 0) { count, _ in count += 1 } == 0)
    }

    @Test("Above the limit, a track is dropped up to its next keyframe and reported once")
    func limit() async throws {
        let pictures = try await SampleMaker.pictures(.vp8, width: 64, height: 64, frames: 61)
        let buffer = RecordingBuffer(mostBytes: pictures[..<10].reduce(0) { $0 + $1.size })
        for picture in pictures[..<20] { buffer.append(picture, track: .video) }
        #expect(buffer.takeAll().items.count == 10)
        for picture in pictures[20..<40] { buffer.append(picture, track: .video) }
        let (items, hasLost) = buffer.takeAll()
        #expect(items.first?.sample.presentationTime == pictures[30].presentationTime)
        #expect(hasLost)
        buffer.append(pictures[60], track: .video)
        #expect(!buffer.takeAll().hasLost)
    }

    @Test("A closed buffer drops all samples") func closed() async throws {
        let buffer = RecordingBuffer(mostBytes: 1_000_000)
        let sound = try await SampleMaker.sound(packets: 2)
        buffer.append(sound[0], track: .audio)
        #expect(buffer.close().items.count == 1)
        buffer.append(sound[1], track: .audio)
        #expect(buffer.close().items.isEmpty)
    }
}
