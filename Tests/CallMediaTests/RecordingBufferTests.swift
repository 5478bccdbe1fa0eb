import CallCore
import GStreamerKit
import Testing

@testable import CallMedia

@Suite("What waits for a file", .timeLimit(.minutes(1)))
struct RecordingBufferTests {
    @Test("Samples leave in the order in which they came, and one arrival tells of all")
    func order() async throws {
        let backlog = RecordingBuffer(mostBytes: 1_000_000)
        let sound = try await SampleMaker.sound(packets: 20)
        let pictures = try await SampleMaker.pictures(.vp8, width: 64, height: 64, frames: 20)
        for (packet, picture) in zip(sound, pictures) {
            backlog.append(packet, track: .audio)
            backlog.append(picture, track: .video)
        }
        let taken = backlog.takeAll()
        #expect(taken.items.count == 40)
        #expect(!taken.hasLost)
        #expect(taken.items.enumerated().allSatisfy { $1.track == ($0 % 2 == 0 ? .audio : .video) })
        #expect(backlog.takeAll().items.isEmpty)
        _ = backlog.close()
        #expect(await backlog.arrivals.reduce(into: 0) { count, _ in count += 1 } == 1)
    }

    @Test("Beyond the limit a track is left out up to its next keyframe, and that is told once")
    func limit() async throws {
        let pictures = try await SampleMaker.pictures(.vp8, width: 64, height: 64, frames: 61)
        let backlog = RecordingBuffer(mostBytes: pictures[..<10].reduce(0) { $0 + $1.size })
        for picture in pictures[..<20] { backlog.append(picture, track: .video) }
        #expect(backlog.takeAll().items.count == 10)
        for picture in pictures[20..<40] { backlog.append(picture, track: .video) }
        let (items, hasLost) = backlog.takeAll()
        #expect(items.first?.sample.presentationTime == pictures[30].presentationTime)
        #expect(hasLost)
        backlog.append(pictures[60], track: .video)
        #expect(!backlog.takeAll().hasLost)
    }

    @Test("What is closed takes nothing more") func closed() async throws {
        let backlog = RecordingBuffer(mostBytes: 1_000_000)
        let sound = try await SampleMaker.sound(packets: 2)
        backlog.append(sound[0], track: .audio)
        #expect(backlog.close().items.count == 1)
        backlog.append(sound[1], track: .audio)
        #expect(backlog.close().items.isEmpty)
    }
}
