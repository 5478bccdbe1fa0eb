internal import Basics
internal import CallCore

extension RoomEvent {
    /// Parses a server's event; nil if it is unknown or malformed.
    ///
    /// Unknown fields are ignored. Known fields are accepted in every form that existing servers send.
    init?(name: String, arguments: [JSON]) {
        let payload = arguments.first ?? .null
        switch name {
        case "room_state":
            guard let peers = (payload["peers"] ?? payload).arrayValue else { return nil }
            self = .roomState(
                // Further participants would not be stored, and a list may contain tens of thousands.
                peers.prefix(PresenceTracker.maximumParticipants).compactMap(Participant.init(wire:)),
                isPartial: payload["degraded"]?.boolValue ?? false
                    || peers.count > PresenceTracker.maximumParticipants
            )
        case "room_user_joined":
            guard let participant = Participant(wire: payload) else { return nil }
            self = .peerJoined(participant)
        case "room_user_left":
            guard let participant = Participant(wire: payload) else { return nil }
            self = .peerLeft(participant)
        case "ice_servers":
            guard let servers = (payload["iceServers"] ?? payload).arrayValue else { return nil }
            self = .iceServers(servers.compactMap(ICEServer.init(wire:)))
        default:
            guard let message = SignalMessage(name: name, payload: payload) else { return nil }
            let sender = payload["from"]?.stringValue?.participantName
            self = .message(message, from: sender?.isEmpty == true ? nil : sender)
        }
    }
}

extension Participant {
    /// Parses `{username, isCaller}`; both may be missing.
    fileprivate init?(wire payload: JSON) {
        guard case .object = payload else { return nil }
        let isCaller = payload["isCaller"]?.truthValue
        self.init(
            username: payload["username"]?.textValue?.participantName ?? "",
            role: isCaller.map { $0 ? .caller : .callee }
        )
    }
}

extension String {
    /// The participant's name in the form that callrunner servers report.
    ///
    /// Other servers accept names that callrunner forbids; of such a name, only the printable characters
    /// remain.
    fileprivate var participantName: String { (try? Username(self))?.value ?? printable() }
}

extension ICEServer {
    /// Parses an RTCIceServer; `urls` may be one URL or several.
    fileprivate init?(wire payload: JSON) {
        let urls =
            payload["urls"]?.arrayValue?.compactMap(\.stringValue)
            ?? [payload["urls"]?.stringValue].compactMap(\.self)
        guard !urls.isEmpty else { return nil }
        self.init(
            urls: urls,
            username: payload["username"]?.stringValue,
            credential: payload["credential"]?.stringValue
        )
    }
}
