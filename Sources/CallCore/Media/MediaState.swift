package import Basics

/// The media that one side of a call sends and records, as it reports them to the other side with the event
/// `media_state`.
package struct MediaState: Hashable, Sendable {
    package var sendsAudio = true
    package var sendsVideo = true
    /// Whether the side that receives this report is being recorded.
    package var isRecording = false
    package var isHolding = false

    package init() {}
}

/// The data from which the media state sent to the peer is derived.
package struct OwnMedia: Hashable, Sendable {
    package enum Change: Hashable, Sendable {
        // Made by the user.
        case isMuted(Bool)
        case isCameraOff(Bool)

        // Reported by the media service.

        /// The kinds of media that the source provides and that may be sent.
        case sends(Set<MediaKind>)
        /// Whether a recording that contains the peer's media is in progress.
        case recordsPeer(Bool)
    }

    package var isMuted = false
    package var isCameraOff = false
    /// The kinds of media that the source provides and that may be sent.
    package private(set) var kinds = Set(MediaKind.allCases)
    private var recordsPeer = false

    package init(isMuted: Bool = false, isCameraOff: Bool = false) {
        (self.isMuted, self.isCameraOff) = (isMuted, isCameraOff)
    }

    package var state: MediaState {
        var state = MediaState()
        state.sendsAudio = !isMuted && kinds.contains(.audio)
        state.sendsVideo = !isCameraOff && kinds.contains(.video)
        state.isRecording = recordsPeer
        return state
    }

    mutating func apply(_ change: Change) {
        switch change {
        case .isMuted(let isMuted): self.isMuted = isMuted
        case .isCameraOff(let isOff): isCameraOff = isOff
        case .sends(let kinds): self.kinds = kinds
        case .recordsPeer(let does): recordsPeer = does
        }
    }
}

/// A media state of the peer that differs from the previous one.
package struct PeerMedia: Hashable, Sendable {
    /// The peer's name, if it is known.
    package var peer: String?
    package var state: MediaState
    /// The state reported previously in the same call; nil for the first report.
    package var before: MediaState?

    package init(peer: String?, state: MediaState, before: MediaState? = nil) {
        (self.peer, self.state, self.before) = (peer, state, before)
    }

    /// Whether the peer has begun or stopped recording.
    package var changesRecording: Bool { state.isRecording != (before ?? MediaState()).isRecording }

    /// A sentence that describes the differences, for display; nil if there are none.
    package var sentence: String? {
        let before = before ?? MediaState()
        let parts = [
            (before.isRecording, state.isRecording, "records this call", "has stopped recording"),
            (before.isHolding, state.isHolding, "has put the call on hold", "has taken the call off hold"),
            (before.sendsAudio, state.sendsAudio, "sends audio again", "sends no audio"),
            (before.sendsVideo, state.sendsVideo, "sends video again", "sends no video"),
        ]
        let phrases = parts.filter { $0.0 != $0.1 }.map { $0.1 ? $0.2 : $0.3 }
        guard !phrases.isEmpty else { return nil }
        return "\(peer ?? "the peer") \(phrases.joined(separator: " and "))"
    }
}
