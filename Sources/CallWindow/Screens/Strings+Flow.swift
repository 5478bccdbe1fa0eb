internal import AppFlow
internal import Basics
internal import CallCore
internal import WindowKit

// The messages of the flow in the user's language.

extension Strings {
    func sentence(of call: CallState) -> String { self["call.\(call.name)"] }

    func sentence(of loss: RoomLoss) -> String {
        switch loss.reason {
        case .disconnected: self["room.lost"]
        case .failed(let diagnosis): sentence(of: diagnosis)
        }
    }

    /// Describes a problem by the text for its code, or by its own message if there is no such text.
    func sentence(of diagnosis: Diagnosis) -> String {
        let key = "problem.\(diagnosis.code)"
        guard has(key) else { return diagnosis.message }
        return diagnosis.facts.reduce(self[key]) { text, fact in
            text.replacing("{\(fact.key)}", with: fact.key == "reason" ? reason(fact.value) : fact.value)
        }
    }

    /// Describes why stored data could not be deleted.
    func sentence(of failure: StoreFailure) -> String {
        self("deletion-failed.\(failure.reason.rawValue)", ["reason": failure.message])
    }

    func sentence(of reason: RoomState.ReturnReason) -> String {
        switch reason {
        case .peerLeft(let participant): self("room.notice.left", ["name": participant.username])
        case .callEnded(let summary): sentence(of: summary)
        case .callMissed(let name?): self("room.notice.missed", ["name": name])
        case .callMissed(nil): self["room.notice.missed.nameless"]
        }
    }

    func sentence(of summary: CallSummary) -> String {
        let name = name(ofPeer: summary.peer)
        return switch summary.end {
        case .hungUp(by: .us): self[summary.wasHeld ? "ended.hung-up.us" : "ended.cancelled"]
        case .hungUp(by: .peer): self("ended.hung-up.peer", ["name": name])
        case .declined(by: .us): self["ended.declined.us"]
        case .declined(by: .peer): self("ended.declined.peer", ["name": name])
        case .peerLeft: self("ended.left", ["name": name])
        case .duration, .sourceEnded: self["ended.over"]
        case .timedOut(.media): self["ended.no-media"]
        case .timedOut: self("ended.no-answer", ["name": name])
        case .media(let failure): self("ended.media", ["reason": sentence(of: Diagnosis(failure))])
        case .signaling(let failure):
            self("ended.signaling", ["reason": sentence(of: Diagnosis(failure))])
        }
    }
}

extension Notice {
    /// Creates the toast that shows the notice in the user's language.
    func toast(_ strings: Strings) -> Interface.Toast {
        let (text, tone): (String, Interface.Tone) =
            switch content {
            case .trashed(let title): (strings("notice.trashed", ["title": title]), .good)
            case .deleted(let title): (strings("notice.deleted", ["title": title]), .good)
            case .notRevealed(let path): (strings("notice.not-revealed", ["path": path]), .error)
            case .notPlayable: (strings["notice.not-playable"], .error)
            case .noFileDialog: (strings["notice.no-file-dialog"], .error)
            case .noPictureDialog: (strings["notice.no-picture-dialog"], .error)
            case .accountExported(let path): (strings("notice.account-exported", ["path": path]), .good)
            case .accountDeleted: (strings["notice.account-deleted"], .good)
            case .signedInElsewhere(let name, let before?) where before != name:
                (strings("notice.signed-in-instead", ["name": name, "before": before]), .info)
            case .signedInElsewhere(let name, _): (strings("notice.signed-in", ["name": name]), .info)
            case .callMissed(let name?): (strings("room.notice.missed", ["name": name]), .warning)
            case .callMissed(nil): (strings["room.notice.missed.nameless"], .warning)
            case .chatCall(let failure, let name): (strings(failure.key, ["name": name]), .warning)
            case .accountFailed(let failure): (strings.sentence(of: failure), .error)
            }
        return Interface.Toast(id: id, text: text, tone: tone)
    }
}

extension ChatCallFailure {
    /// The key of the sentence that describes the failure.
    fileprivate var key: String {
        switch self {
        case .unanswered: "notice.chat-call.unanswered"
        case .declined: "notice.chat-call.declined"
        case .cancelled: "notice.chat-call.cancelled"
        case .unreachable: "notice.chat-call.unreachable"
        case .tooFast: "notice.chat-call.too-fast"
        case .busy: "notice.chat-call.busy"
        case .failed: "notice.chat-call.failed"
        }
    }
}
