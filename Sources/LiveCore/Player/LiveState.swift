/// The state of a player.
package enum LiveState: Hashable, Sendable {
    /// No stream is selected.
    case empty
    /// The stream is being opened; no frame of it has been shown yet.
    case loading
    case playing
    case paused
    /// Playback is stalled until more of the stream arrives; the last frame is shown.
    case buffering
    /// The stream was lost or could not be opened; the next retry starts after `retryIn`, or is in progress if that is
    /// nil.
    case offline(LiveFailure, retryIn: Duration?)
    /// The stream is not being published; the player checks again at regular intervals.
    case notLive(LiveFailure)
    case ended
    /// The stream cannot be played; only the user can retry.
    case failed(LiveFailure)

    /// The name of the state for scripts.
    package var name: String {
        switch self {
        case .empty: "empty"
        case .loading: "loading"
        case .playing: "playing"
        case .paused: "paused"
        case .buffering: "buffering"
        case .offline: "offline"
        case .notLive: "not-live"
        case .ended: "ended"
        case .failed: "failed"
        }
    }
}

/// The stream of a player, its state and its position.
package struct LivePlayback: Hashable, Sendable {
    package var state = LiveState.empty
    package var address: LiveAddress?
    /// The format; nil until the first frame is shown.
    package var format: LiveFormat?
    package var progress = LiveProgress()
    package var options: LiveOptions

    package init(_ options: LiveOptions = LiveOptions()) {
        self.options = options
    }
}

/// An event of a player for scripts and logs.
package enum LiveEvent: Hashable, Sendable {
    case loading(LiveAddress)
    case playing(LiveFormat, latency: Duration?)
    case paused
    case buffering
    case offline(LiveFailure, retryIn: Duration?)
    case notLive(LiveFailure)
    case looped
    /// The player was too far behind and skips to the live edge; the value is its distance to the edge.
    case skippedAhead(Duration)
    case ended
    case failed(LiveFailure)
}
