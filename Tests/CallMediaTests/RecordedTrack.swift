import GStreamerKit
import Synchronization

/// The timestamps, keyframe flags and sizes of the samples that a hub publishes.
final class RecordedTrack: Sendable {
    struct Entry: Hashable, Sendable {
        var time: UInt64
        var isKeyframe: Bool
        var size: Int
    }

    private let samples = Mutex<[Entry]>([])
    private let counts: AsyncStream<Int>
    private let count: AsyncStream<Int>.Continuation

    init(_ hub: SampleHub) {
        (counts, count) = AsyncStream.makeStream(of: Int.self)
        _ = hub.attach { [weak self] in self?.add($0) }
    }

    private func add(_ sample: MediaSample) {
        let entry = Entry(
            time: sample.presentationTime ?? 0,
            isKeyframe: sample.isKeyframe,
            size: sample.size
        )
        count.yield(
            samples.withLock {
                $0.append(entry)
                return $0.count
            }
        )
    }

    /// Waits until `number` samples have arrived.
    func reach(_ number: Int) async { for await count in counts where count >= number { return } }

    var entries: [Entry] { samples.withLock { $0 } }
    var times: [UInt64] { entries.map(\.time) }
    /// The intervals between consecutive samples in milliseconds.
    var gaps: [Double] { zip(times, times.dropFirst()).map { (Double($1) - Double($0)) / 1e6 } }
}
