internal import Basics

// The messages about a call that are shown to users. Each states what happened and, if known, why.

extension CallOptions {
    /// Describes why an attempt ended.
    func sentence(for end: AttemptEnd) -> String {
        switch end {
        case .stopped: "hung up"
        case .unanswered: "no answer within \(DurationText(descriptionTimeout))"
        case .timedOut(.preparation): "no offer could be created within \(DurationText(connectTimeout))"
        case .timedOut(.description): "no session description within \(DurationText(descriptionTimeout))"
        case .timedOut(.connection), .timedOut(.repetition):
            "not connected within \(DurationText(connectTimeout))"
        case .stalled: "no media arrives any more"
        case .addressLost(let address): "this machine has lost its address \(address)"
        case .addressGained(let address): "this machine has a new address, \(address)"
        case .peerLost: "the peer lost the connection"
        case .givenUp: "the peer abandoned the offer before it was answered"
        case .failed(let failure): failure.sentence
        }
    }
}

extension CallStateMachine {
    /// Describes why the call ended.
    func message(for end: CallEnd) -> String {
        let name = peer.participant?.username ?? "the peer"
        return switch end {
        case .hungUp(by: .us): "hung up"
        case .hungUp(by: .peer): "\(name) hung up"
        case .declined(by: .us): "declined"
        case .declined(by: .peer): "\(name) declined"
        case .peerLeft: wasHeld ? "\(name) left" : "\(name) left before the call was connected"
        case .duration(let span): "hung up after \(DurationText(span))"
        case .sourceEnded(let name): "hung up when \(name) ended"
        case .timedOut(.peer): "no peer joined\(within(options.peerTimeout))"
        case .timedOut(.offer): "no offer arrived\(within(options.peerTimeout))"
        case .timedOut(.answer) where role == .callee:
            "the call from \(name) was not answered here within \(DurationText(options.askTimeout))"
        case .timedOut(.answer): "no answer from \(name)\(tries)"
        case .timedOut(.description):
            "no session description within \(DurationText(options.descriptionTimeout))\(tries)"
        case .timedOut(.media):
            "no media within \(DurationText(options.connectTimeout))\(tries)"
        case .media(let failure): failure.sentence
        case .signaling(let failure): failure.sentence
        }
    }

    private var tries: String { attempt > 1 ? " in \(attempt) attempts" : "" }

    private func within(_ span: Duration?) -> String {
        span.map { " within \(DurationText($0))" } ?? ""
    }
}

extension CallReport {
    /// Returns a sentence that states why the peer cannot be notified of the recording.
    package static func sentence(ofUnaware peer: String?) -> String {
        "\(peer ?? "the peer") is not notified of the recording: its program or the server does not support media_state"
    }
}

extension CallMediaFailure {
    /// The failure and its cause in one sentence without a full stop.
    package var sentence: String {
        switch self {
        case .local(let failure): failure.sentence
        case .relay(let message, _, _), .noAddress(let message): message
        case .iceFailed(let detail): "no network path to the peer (ICE failed\(Self.suffix(detail)))"
        case .dtlsFailed(let detail): "the encrypted channel to the peer failed (DTLS\(Self.suffix(detail)))"
        case .unverifiedPeer(let detail): "the peer is not verified: \(detail)"
        case .badDescription(let detail): "the peer's session description is unusable: \(detail)"
        case .noCommonCodec(let offered, let accepted):
            "no common codec: the peer offers \(Self.list(offered)), we accept \(Self.list(accepted))"
        case .nothingToCarry(let detail): detail
        }
    }

    private static func suffix(_ detail: String) -> String { detail.isEmpty ? "" : ": \(detail)" }

    private static func list(_ codecs: [String]) -> String {
        codecs.isEmpty ? "none" : codecs.joined(separator: ", ")
    }
}

extension SignalingFailure {
    /// The failure and its cause in one sentence without a full stop.
    package var sentence: String {
        switch self {
        case .unreachable(let url, let detail): "cannot reach the signaling server at \(url): \(detail)"
        case .notSocketIO(let url, let detail): "\(url) does not speak Socket.IO: \(detail)"
        case .roomFull: "the room is full"
        case .roleTaken: "somebody in the room already has this role"
        case .unauthorized(let detail), .forbidden(let detail): "the server denies access: \(detail)"
        case .refused(let detail): "the server refused the connection: \(detail)"
        case .badEvent(let detail): "the server's messages cannot be processed: \(detail)"
        case .tooLarge(let detail): detail
        case .lost(let seconds):
            "the signaling server has been unreachable for \(DurationText(seconds: seconds))"
        }
    }
}
