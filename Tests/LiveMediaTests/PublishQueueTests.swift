import RTMP
import Testing

@testable import LiveMedia

@Suite("Media that waits for a server")
struct PublishQueueTests {
    private static let configuration = PublishQueue.Item.video(.configuration([1]), timestamp: 0)

    private func frame(_ timestamp: UInt32, isKeyframe: Bool = false, length: Int = 10) -> PublishQueue.Item {
        let units = [UInt8](repeating: 0, count: length)[...]
        return .video(.frame(isKeyframe: isKeyframe, offset: 0, units), timestamp: timestamp)
    }

    private func sound(_ timestamp: UInt32) -> PublishQueue.Item { .audio(.frame([1]), timestamp: timestamp) }

    private func timestamps(_ queue: PublishQueue) -> [UInt32] {
        queue.removeFirst(size: .max).compactMap { item in
            switch item {
            case .video(_, let timestamp), .audio(_, let timestamp): timestamp
            case .metadata, .answer: nil
            }
        }
    }

    @Test("Media is dropped without a connection")
    func closed() {
        let queue = PublishQueue(tracks: 0)
        queue.add(frame(1, isKeyframe: true))
        #expect(queue.removeFirst(size: .max).isEmpty)
        _ = queue.open()
        queue.add(frame(2, isKeyframe: true))
        queue.close()
        #expect(queue.removeFirst(size: .max).isEmpty)
        #expect(queue.counts.dropped == 0)
    }

    @Test("Each connection begins with the configurations and a keyframe")
    func beginning() {
        let queue = PublishQueue(tracks: 2)
        queue.add(Self.configuration)
        queue.add(.audio(.configuration([2]), timestamp: 5))
        for _ in 0..<2 {
            _ = queue.open()
            for item in [frame(10), sound(11), frame(12, isKeyframe: true), sound(13), frame(14)] {
                queue.add(item)
            }
            #expect(timestamps(queue) == [0, 5, 12, 13, 14])
            queue.close()
        }
        #expect(queue.counts.frames == 4)
        #expect(queue.counts.dropped == 0)
    }

    @Test("Frames wait for the configurations of all tracks, which are sent first")
    func configurations() {
        let queue = PublishQueue(tracks: 2)
        _ = queue.open()
        queue.add(Self.configuration)
        queue.add(frame(10, isKeyframe: true))
        #expect(timestamps(queue).isEmpty)
        queue.add(.audio(.configuration([2]), timestamp: 5))
        queue.add(sound(11))
        #expect(timestamps(queue) == [0, 5, 10, 11])
    }

    @Test("Frames do not wait longer than a second for the configuration of a track")
    func missingConfiguration() {
        let queue = PublishQueue(tracks: 2)
        _ = queue.open()
        queue.add(Self.configuration)
        queue.add(frame(10, isKeyframe: true))
        queue.add(frame(1010))
        #expect(timestamps(queue).isEmpty)
        queue.add(frame(1011))
        #expect(timestamps(queue) == [0, 10, 1010, 1011])
        queue.add(frame(1040))
        #expect(timestamps(queue) == [1040])
    }

    @Test("Audio without video begins immediately")
    func audioOnly() {
        let queue = PublishQueue(tracks: 1)
        queue.add(.audio(.configuration([2]), timestamp: 0))
        _ = queue.open()
        queue.add(sound(1))
        #expect(timestamps(queue) == [0, 1])
    }

    @Test("Media that exceeds the limit is dropped up to the next keyframe")
    func limit() {
        let queue = PublishQueue(tracks: 1)
        queue.add(Self.configuration)
        _ = queue.open()
        queue.add(frame(0, isKeyframe: true, length: 1 << 20))
        for time in 1..<5 as Range<UInt32> { queue.add(frame(time, length: 1 << 20)) }
        queue.add(frame(5))
        queue.add(sound(6))
        queue.add(frame(7, isKeyframe: true))
        queue.add(sound(8))
        #expect(timestamps(queue) == [0, 7, 8])
        #expect(queue.counts.dropped == 6)
    }

    @Test("Media that has waited for three seconds is dropped, and a keyframe begins anew")
    func timeLimit() {
        let queue = PublishQueue(tracks: 1)
        queue.add(Self.configuration)
        _ = queue.open()
        queue.add(frame(0, isKeyframe: true))
        queue.add(frame(3000))
        queue.add(frame(3001, isKeyframe: true))
        #expect(timestamps(queue) == [0, 3001])
        #expect(queue.counts.dropped == 2)
    }

    @Test("Media is removed in parts of a size")
    func parts() {
        let queue = PublishQueue(tracks: 0)
        _ = queue.open()
        for time in 0..<5 as Range<UInt32> { queue.add(frame(time)) }
        #expect(queue.removeFirst(size: 15).count == 2)
        #expect(queue.counts.bytes == 20)
        #expect(timestamps(queue) == [2, 3, 4])
    }

    @Test("A connection that begins after the end of the source ends, too")
    func openAfterEnd() async {
        let queue = PublishQueue(tracks: 0)
        queue.finish()
        var count = 0
        for await _ in queue.open() { count += 1 }
        #expect(count == 1)
    }

    @Test("Answers that nobody reads are limited")
    func answerLimit() {
        let queue = PublishQueue(tracks: 0)
        _ = queue.open()
        for _ in 0..<1000 { queue.add(.answer([1])) }
        #expect(queue.removeFirst(size: .max).count == 100)
    }

    @Test("Answers are sent although media is dropped, and the end comes after the media that waits")
    func answers() async {
        let queue = PublishQueue(tracks: 1)
        queue.add(Self.configuration)
        let additions = queue.open()
        queue.add(frame(1))
        queue.add(.answer([1]))
        let items = queue.removeFirst(size: .max)
        #expect(items.count == 2)
        queue.add(frame(2, isKeyframe: true))
        queue.finish()
        for await _ in additions {}
        #expect(timestamps(queue) == [2])
    }

    @Test("A reader learns of media that was added")
    func signals() async {
        let queue = PublishQueue(tracks: 0)
        let additions = queue.open()
        queue.add(sound(1))
        var reader = additions.makeAsyncIterator()
        await reader.next()
        #expect(timestamps(queue) == [1])
        queue.close()
    }
}
