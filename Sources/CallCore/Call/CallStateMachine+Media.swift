// The media states that both sides of a call tell each other.

/// The media states told so far, and those held back.
struct MediaStateExchange: Hashable, Sendable {
    /// The spans between two states, however often they change.
    static let sendingInterval = Duration.milliseconds(250)
    static let reportingInterval = Duration.milliseconds(500)
    /// How long after media first flows a peer that knows the event may take to send its state.
    static let patience = Duration.seconds(3)

    /// The attempt that the rest is about.
    var attempt = 1
    /// The last state sent; nil where the peer is to be sent one.
    var sent: MediaState?
    var isSendingHeldBack = false
    /// The last state that the peer has sent.
    var heard: MediaState?
    /// The one of them that was reported last.
    var reported: MediaState?
    var isReportHeldBack = false
    /// The last one reported in this call, in whichever attempt.
    var before: MediaState?
    /// Whether the peer has let its time pass.
    var isOverdue = false
    /// Whether it was reported that the peer does not learn that it is recorded.
    var isUnawareReported = false
    /// Whether the next state sent asks the peer for its own.
    var asks = false
}

extension CallStateMachine {
    /// Takes a state that the peer has sent; one that names an older offer is ignored.
    mutating func handle(_ state: MediaState, of offerID: String?, asks: Bool) {
        guard phase == .attempting, offerID == nil || offerID == offers.last else { return }
        media.heard = state
        if asks { media.sent = nil }
    }

    mutating func handle(_ timer: RoomTimer.MediaState) {
        switch timer {
        case .sending: media.isSendingHeldBack = false
        case .report: media.isReportHeldBack = false
        case .overdue: media.isOverdue = true
        }
    }

    /// Our own socket has come back: changes on either side may have been lost.
    mutating func resumeMediaStates() {
        (media.sent, media.asks) = (nil, media.sent != nil)
    }

    /// Media flows: from now on a peer that knows the event has a while to send its state.
    mutating func expectPeerMedia(_ room: inout PresenceTracker) {
        media.isOverdue = false
        actions.append(.start(room.arm(.mediaState(.overdue)), MediaStateExchange.patience))
    }

    /// Sends our state and reports the peer's where they have changed, at a bounded pace.
    mutating func exchangeMediaStates(_ room: inout PresenceTracker) {
        if media.attempt != attempt {
            (media.attempt, media.sent, media.heard, media.reported) = (attempt, nil, nil, nil)
        }
        guard !isEnding else { return }
        reportPeerMedia(&room)
        guard isMediaFlowing else { return }
        let own = room.ownMedia.state
        if room.isConnected, media.sent != own, !media.isSendingHeldBack {
            actions.append(.send(.mediaState(own, offerID: offers.last, asks: media.asks)))
            (media.sent, media.isSendingHeldBack, media.asks) = (own, true, false)
            actions.append(.start(room.arm(.mediaState(.sending)), MediaStateExchange.sendingInterval))
        }
        let isSilent = media.isOverdue && media.heard == nil && media.before == nil
        if own.isRecording, isSilent, !media.isUnawareReported {
            media.isUnawareReported = true
            report(.peerUnaware(peer: peer?.username))
        }
    }

    private mutating func reportPeerMedia(_ room: inout PresenceTracker) {
        guard let heard = media.heard, heard != media.reported, !media.isReportHeldBack else { return }
        report(.peerMedia(PeerMedia(peer: peer?.username, state: heard, before: media.before)))
        (media.reported, media.before, media.isReportHeldBack) = (heard, heard, true)
        actions.append(.start(room.arm(.mediaState(.report)), MediaStateExchange.reportingInterval))
    }
}
