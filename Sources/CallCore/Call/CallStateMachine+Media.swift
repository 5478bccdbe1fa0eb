// The exchange of media states between both sides of a call.

/// The media states that both sides have sent, and the delays for sending and reporting them.
struct MediaStateExchange: Hashable, Sendable {
    /// The minimum interval between two messages with our state, even if the state changes more often.
    fileprivate static let sendingInterval = Duration.milliseconds(250)
    fileprivate static let reportingInterval = Duration.milliseconds(500)
    /// The time within which a peer that supports `media_state` sends its first state after media has
    /// connected.
    static let timeout = Duration.seconds(3)

    /// The number of the attempt to which `sent`, `heard` and `reported` apply.
    var attempt = 1
    /// The last state sent in this attempt; nil if our state has to be sent to the peer.
    var sent: MediaState?
    var isSendingHeldBack = false
    /// The last state received from the peer.
    var heard: MediaState?
    /// The last received state that has been reported.
    var reported: MediaState?
    var isReportHeldBack = false
    /// The last state reported in this call, in any attempt.
    var before: MediaState?
    /// Whether `timeout` has expired.
    var isOverdue = false
    /// Whether `CallReport.peerUnaware` has been reported in this call.
    var isUnawareReported = false
    /// Whether the next message with our state requests the peer's state.
    var asks = false
}

extension CallStateMachine {
    /// Handles a state sent by the peer; a state that refers to an older offer is ignored.
    mutating func handle(_ state: MediaState, of offerID: String?, asks: Bool) {
        guard phase.isAttempting, offerID == nil || offerID == offers.last else { return }
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

    /// Causes both sides to send their states again after our socket has reconnected, because changes may
    /// have been lost.
    mutating func resumeMediaStates() {
        (media.sent, media.asks) = (nil, media.sent != nil)
    }

    /// Starts the timeout within which a peer that supports `media_state` must send its state.
    mutating func expectPeerMedia(_ room: inout PresenceTracker) {
        media.isOverdue = false
        actions.append(.start(room.arm(.mediaState(.overdue)), MediaStateExchange.timeout))
    }

    /// Sends our state and reports the peer's state, each only if it has changed and at a limited rate.
    mutating func exchangeMediaStates(_ room: inout PresenceTracker) {
        if media.attempt != attempt {
            (media.attempt, media.sent, media.heard, media.reported) = (attempt, nil, nil, nil)
        }
        guard !phase.isEnding else { return }
        reportPeerMedia(&room)
        guard isMediaFlowing else { return }
        let own = room.ownMedia.state
        if room.isConnected, media.sent != own, !media.isSendingHeldBack {
            actions.append(.send(.mediaState(own, offerID: offers.last, asks: media.asks)))
            (media.sent, media.isSendingHeldBack, media.asks) = (own, true, false)
            actions.append(.start(room.arm(.mediaState(.sending)), MediaStateExchange.sendingInterval))
        }
        let isSilent = media.isOverdue && media.heard == nil && media.before == nil
        // Without a connection to the server, our state cannot be sent to the peer.
        let isCutOff = !room.isConnected && media.sent?.isRecording != true
        if own.isRecording, isSilent || isCutOff, !media.isUnawareReported {
            media.isUnawareReported = true
            report(.peerUnaware(peer: peer.participant?.username))
        }
    }

    private mutating func reportPeerMedia(_ room: inout PresenceTracker) {
        guard let heard = media.heard, heard != media.reported, !media.isReportHeldBack else { return }
        report(.peerMedia(PeerMedia(peer: peer.participant?.username, state: heard, before: media.before)))
        (media.reported, media.before, media.isReportHeldBack) = (heard, heard, true)
        actions.append(.start(room.arm(.mediaState(.report)), MediaStateExchange.reportingInterval))
    }
}
