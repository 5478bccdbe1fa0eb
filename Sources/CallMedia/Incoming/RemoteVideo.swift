internal import GStreamerKit

/// The peer's encoded video and a way to request keyframes.
struct RemoteVideo: Sendable {
    let hub: SampleHub
    let requestKeyframe: @Sendable () -> Void

    /// The longest wait for a keyframe in seconds; it is requested once per second.
    private static let maximumAttempts = 5

    /// Requests a keyframe and waits for it; nil if none came, or the task was cancelled.
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
