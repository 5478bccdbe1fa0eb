internal import GStreamerKit
internal import LiveCore
internal import Synchronization

/// A limit on the quality of a stream that depends on the size of the view; below it, the bandwidth determines the
/// quality.
final class QualityChoice: Sendable {
    private struct State {
        var demuxer: WeakElement?
        /// The highest permitted bit rate in bits per second; 0 without a limit.
        var limit = 0
        /// The limit for the latest height of the view; it applies once the next call finds the same limit.
        var latest = 0
    }

    private let variants: MultivariantPlaylist
    private let height: @Sendable () -> Int?
    private let state = Mutex(State())

    /// Creates the limit for the demuxer of a pipeline; the first segment still has the quality of the first variant.
    init(_ variants: MultivariantPlaylist, of pipeline: Pipeline, height: @escaping @Sendable () -> Int?) {
        (self.variants, self.height) = (variants, height)
        if let limit = limit() { state.withLock { ($0.limit, $0.latest) = (limit, limit) } }
        pipeline.onElementAdded(from: "hlsdemux2") { [weak self] demuxer in
            let limit = self?.state.withLock { state in
                state.demuxer = WeakElement(demuxer)
                return state.limit
            }
            if let limit { demuxer.set("max-bitrate", limit) }
        }
    }

    /// Adapts the limit to the height of the view; while the stream is not shown, the limit does not change.
    ///
    /// A new limit applies only once two consecutive calls have found it, because the height changes with each frame
    /// while the view is being resized.
    func update() {
        guard let limit = limit() else { return }
        let demuxer = state.withLock { state -> WeakElement? in
            defer { state.latest = limit }
            guard limit == state.latest, limit != state.limit else { return nil }
            state.limit = limit
            return state.demuxer
        }
        demuxer?.element?.set("max-bitrate", limit)
    }

    /// The limit for the current height of the view; nil if the stream is not shown.
    private func limit() -> Int? { height().map { variants.bandwidth(forHeight: $0) ?? 0 } }
}
