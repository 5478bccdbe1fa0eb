import LiveCore
import Synchronization

/// A service whose streams play without an end, and which notes the addresses that it opens.
final class SteadyStreams: LiveStreamService {
    private let noted = Mutex<[LiveAddress]>([])

    var addresses: [LiveAddress] { noted.withLock { $0 } }

    func open(_ address: LiveAddress, _ options: LiveOptions) async throws -> any LiveStream {
        noted.withLock { $0.append(address) }
        return SteadyStream()
    }
}

private struct SteadyStream: LiveStream {
    let events = AsyncStream<LiveStreamEvent> {
        $0.yield(.started(LiveFormat(resolution: nil, codec: "H264", isLive: true)))
    }

    func apply(_ options: LiveOptions) {}
    func seek(to target: LiveSeek) {}
    func close() {}
}
