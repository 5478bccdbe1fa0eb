internal import AppFlow
internal import Basics
internal import CallCore

extension FlowEvent {
    /// The line for the console; nil if another line reports the event, or no line is needed.
    var line: Line? {
        switch self {
        case .signalingConnected(let url, let transport):
            Line(sentence: "connected to \(url) over \(transport)", style: .dim, weight: .detail)
        case .signalingDisconnected(let reason, let retryIn):
            Line(
                sentence: "connection to the signaling server lost: \(reason)"
                    + (retryIn.map { ", trying again in \(DurationText(seconds: $0))" } ?? ""),
                style: .dim,
                weight: .lasting
            )
        case .roomJoined(let identity, let role):
            Line(
                sentence: "in room \(identity.room) as \(identity.username), \(role.rawValue)",
                weight: .lasting
            )
        case .rejoining:
            Line(sentence: "leaving the room and joining it again, to notify the peer", weight: .detail)
        case .roomRejoined: nil
        case .peerJoined(let participant): Line(sentence: "\(participant.name) is here")
        case .peerLeft(let participant):
            // If this leave ends a call, another line reports the end of the call.
            Line(sentence: "\(participant.name) left the room", weight: .detail)
        case .sameRole(let participant):
            Line(
                sentence: "\(participant?.name ?? "the peer") has the same role: one of you must switch",
                style: .failure,
                weight: .lasting
            )
        case .call(let report): report.line
        case .volume(let percent): Line(sentence: "volume \(percent) %", style: .dim)
        case .warning(let message): Line(sentence: message, style: .dim, weight: .lasting)
        case .error, .screen, .signal, .closing: nil  // reported elsewhere, or not shown on the console
        }
    }
}

extension Participant {
    fileprivate var name: String { username.isEmpty ? "the peer" : username }
}

extension CallReport {
    fileprivate var line: Line? {
        switch self {
        case .started(_, let attempt, _):
            Line(sentence: "attempt \(attempt) begins", style: .dim, weight: .detail)
        case .state(.retrying(let retry)):
            Line(
                sentence: "attempt failed: \(CallState.retrying(retry).sentence)",
                style: .failure,
                weight: .lasting
            )
        case .state(.idle), .state(.awaitingOffer), .state(.ended): nil
        case .state(let state): Line(sentence: state.sentence)
        case .sdpSent(let type, let bytes): Self.detail("\(type.rawValue) sent, \(bytes) bytes")
        case .sdpReceived(let type, let bytes): Self.detail("\(type.rawValue) received, \(bytes) bytes")
        case .iceSelected(let local, let remote, let transport):
            Self.detail("candidate pair \(local)→\(remote) over \(transport)")
        case .peer(let name): Line(sentence: "the peer is \(name)")
        case .mediaConnected: nil
        case .firstFrame(.video, let milliseconds):
            Line(sentence: "first frame after \(milliseconds) ms")
        case .firstFrame(.audio, _): Self.detail("first audio")
        case .statistics(let statistics): Self.detail(StatusText(statistics: statistics).line)
        case .peerMedia(let media):
            media.sentence.map { Line(sentence: $0, weight: media.changesRecording ? .lasting : .step) }
        case .peerUnaware(let peer):
            Line(sentence: Self.sentence(ofUnaware: peer), style: .dim, weight: .lasting)
        case .ended(let summary):
            // A failure is reported as an error, with its hint.
            Diagnosis(summary) == nil
                ? Line(sentence: "call ended: \(summary.message)", style: .emphasis, weight: .lasting) : nil
        }
    }

    private static func detail(_ sentence: String) -> Line {
        Line(sentence: sentence, style: .dim, weight: .detail)
    }
}
