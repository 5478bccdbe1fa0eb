internal import GStreamerKit
internal import MediaKit

/// The peer's encoded video and a function that requests a keyframe from the peer.
struct RemoteVideo: Sendable {
    let hub: SampleHub
    let requestKeyframe: @Sendable () -> Void

    /// The number of keyframe requests, one per second, before the wait for a keyframe ends.
    private static let maximumAttempts = 5

    /// Requests a keyframe and waits for it; nil if none arrived within five seconds, or if the task was
    /// cancelled.
    func nextKeyframe() async -> MediaSample? {
        await withTaskGroup { group in
            group.addTask { await hub.nextKeyframe() }
            group.addTask {
                for _ in 0..<Self.maximumAttempts {
                    requestKeyframe()
                    guard (try? await Task.sleep(for: .seconds(1))) != nil else { break }
                }
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}
