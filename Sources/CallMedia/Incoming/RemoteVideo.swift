internal import GStreamerKit

/// The peer's pictures as they come, and what asks it for a keyframe.
struct RemoteVideo: Sendable {
    let hub: SampleHub
    let requestKeyframe: @Sendable () -> Void

    /// How long a keyframe is waited for, in seconds; it is asked for in each.
    private static let patience = 5

    /// A keyframe that was asked for; nil where none came, or the task was cancelled.
    func nextKeyframe() async -> MediaSample? {
        await withTaskGroup { group in
            group.addTask { await hub.nextKeyframe() }
            group.addTask {
                for _ in 0..<Self.patience {
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
