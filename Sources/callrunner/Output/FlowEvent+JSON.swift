internal import AppFlow
internal import Basics
internal import CallCore

extension FlowEvent {
    /// The event's name and fields for `--json`; nil if it is not reported there.
    var json: (name: String, fields: JSONObject)? {
        switch self {
        case .signalingConnected(let url, let transport):
            return ("signaling.connected", ["url": .string(url), "transport": .string(transport)])
        case .signalingDisconnected(let reason, let retryIn):
            var fields: JSONObject = ["reason": .string(reason)]
            if let retryIn { fields["retryIn"] = .number((retryIn * 1000).rounded() / 1000) }
            return ("signaling.disconnected", fields)
        case .rejoining:
            return ("signaling.disconnected", ["reason": "io client disconnect", "retryIn": 0])
        case .roomJoined(let identity, let role), .roomRejoined(let identity, let role):
            return (
                "room.joined",
                [
                    "room": .int(identity.room.value), "username": .string(identity.username.value),
                    "role": .string(role.rawValue),
                ]
            )
        case .peerJoined(let participant): return ("peer.joined", participant.fields)
        case .peerLeft(let participant): return ("peer.left", ["username": .string(participant.username)])
        case .sameRole(let participant): return ("peer.same-role", participant?.fields ?? [:])
        case .call(let report): return report.json
        case .error(let diagnosis):
            var fields: JSONObject = ["code": .string(diagnosis.code), "message": .string(diagnosis.message)]
            fields["hint"] = .string(diagnosis.hint)
            fields["exit"] = .int(Int(diagnosis.exit.rawValue))
            return ("error", fields)
        case .warning(let message): return ("warning", ["message": .string(message)])
        case .screen(let name): return ("screen", ["name": .string(name)])
        case .signal, .volume, .closing: return nil
        }
    }
}

extension Participant {
    fileprivate var fields: JSONObject {
        var fields: JSONObject = ["username": .string(username)]
        if let role { fields["role"] = .string(role.rawValue) }
        return fields
    }
}

extension CallReport {
    fileprivate var json: (name: String, fields: JSONObject)? {
        switch self {
        case .started(let role, let attempt, let blind):
            return (
                "call.started",
                ["role": .string(role.rawValue), "attempt": .int(attempt), "blind": .bool(blind)]
            )
        case .state(let state): return ("call.state", state.fields)
        case .peer: return nil
        case .sdpSent(let type, let bytes):
            return ("sdp.sent", ["type": .string(type.rawValue), "bytes": .int(bytes)])
        case .sdpReceived(let type, let bytes):
            return ("sdp.received", ["type": .string(type.rawValue), "bytes": .int(bytes)])
        case .iceSelected(let local, let remote, let transport):
            return (
                "ice.selected",
                ["local": .string(local), "remote": .string(remote), "protocol": .string(transport)]
            )
        case .mediaConnected: return ("media.connected", [:])
        case .firstFrame(let kind, _): return ("media.first_frame", ["kind": .string(kind.rawValue)])
        case .statistics(let statistics): return ("stats", statistics.fields)
        case .peerMedia(let media): return ("peer.media", media.state.fields)
        case .peerUnaware(let peer):
            return ("warning", ["message": .string(CallReport.sentence(ofUnaware: peer))])
        case .ended(let summary):
            return (
                "call.ended",
                [
                    "reason": .string(summary.end.reason), "message": .string(summary.message),
                    "attempt": .int(summary.attempt), "setup": summary.setup.json,
                ]
            )
        }
    }
}

extension MediaState {
    var fields: JSONObject {
        [
            "audio": .bool(sendsAudio), "video": .bool(sendsVideo), "recording": .bool(isRecording),
            "holding": .bool(isHolding),
        ]
    }
}

extension CallState {
    fileprivate var fields: JSONObject {
        var fields: JSONObject = ["state": .string(name)]
        if case .retrying(let retry) = self {
            fields["attempt"] = .int(retry.attempt)
            if let delay = retry.delay { fields["retryIn"] = .number(delay / .seconds(1)) }
            fields["reason"] = .string(retry.reason)
        }
        fields["message"] = .string(sentence)
        return fields
    }
}
