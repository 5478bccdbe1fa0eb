internal import Synchronization

/// The totals of the media that encoders have sent.
final class IngestTraffic: Sendable {
    private let receivedBytes = Atomic(0)
    private let receivedFrames = Atomic(0)

    func count(bytes: Int, isFrame: Bool = false) {
        receivedBytes.add(bytes, ordering: .relaxed)
        if isFrame { receivedFrames.add(1, ordering: .relaxed) }
    }

    var bytes: Int { receivedBytes.load(ordering: .relaxed) }
    var frames: Int { receivedFrames.load(ordering: .relaxed) }
}
