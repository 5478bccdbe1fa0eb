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
        queue.removeAll().map { item in
            switch item {
            case .video(_, let timestamp), .audio(_, let timestamp): timestamp
            }
        }
    }

    @Test("Media is dropped without a connection")
    func closed() {
        let queue = PublishQueue()
        queue.add(frame(1, isKeyframe: true))
        #expect(queue.removeAll().isEmpty)
        _ = queue.open()
        queue.add(frame(2, isKeyframe: true))
        queue.close()
        #expect(queue.removeAll().isEmpty)
        #expect(queue.counts.dropped == 0)
    }

    @Test("Each connection begins with the configurations and a keyframe")
    func beginning() {
        let queue = PublishQueue()
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

    @Test("Audio without video begins immediately")
    func audioOnly() {
        let queue = PublishQueue()
        queue.add(.audio(.configuration([2]), timestamp: 0))
        _ = queue.open()
        queue.add(sound(1))
        #expect(timestamps(queue) == [0, 1])
    }

    @Test("Media that exceeds the limit is dropped up to the next keyframe")
    func limit() {
        let queue = PublishQueue()
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

    @Test("A reader learns of media that was added")
    func signals() async {
        let queue = PublishQueue()
        let additions = queue.open()
        queue.add(sound(1))
        var reader = additions.makeAsyncIterator()
        await reader.next()
        #expect(timestamps(queue) == [1])
        queue.close()
    }
}
