internal import GStreamerKit
internal import LiveCore
internal import Synchronization

/// The choice among the qualities of a stream by the size of the view; without it the bandwidth alone decides.
final class QualityChoice: Sendable {
    private struct State {
        var demuxer: WeakElement?
        /// The highest permitted bit rate in bits per second; 0 without a limit.
        var limit = 0
        /// The limit for the latest height of the view, which is in force from the next time on.
        var latest = 0
    }

    private let variants: MultivariantPlaylist
    private let height: @Sendable () -> Int?
    private let state = Mutex(State())

    /// Limits the demuxer of a pipeline; the first segment is still that of the playlist's first quality.
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

    /// Follows the height of the view; while the stream is not shown, the limit stays.
    ///
    /// A height counts once it is the same twice in a row, because it changes at each frame while the view moves.
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

    /// The limit for the present height of the view; nil if it is not shown.
    private func limit() -> Int? { height().map { variants.bandwidth(forHeight: $0) ?? 0 } }
}
