internal import Basics
internal import CallCore

extension SignalMessage {
    /// Parses a message of a peer; nil for an unknown event, or one without its required fields.
    init?(name: String, payload: JSON) {
        let offerID = payload["offer"]?.stringValue
        switch name.protocolWord {
        case "offer":
            guard let sdp = payload["sdp"]?.stringValue else { return nil }
            self = .offer(SignaledDescription(sdp))
        case "answer":
            guard let sdp = payload["sdp"]?.stringValue else { return nil }
            self = .answer(SignaledDescription(sdp), offerID: offerID)
        case "candidate":
            guard let candidate = ICECandidate(wire: payload) else { return nil }
            self = .candidate(candidate)
        case "ringing": self = .ringing(offerID: offerID)
        case "hangup": self = .hangup(offerID: offerID, reason: payload["reason"]?.stringValue?.printable())
        case "restart": self = .restart(offerID: offerID)
        case "media_state":
            guard let state = MediaState(wire: payload) else { return nil }
            self = .mediaState(state, offerID: offerID, asks: payload["ask"]?.boolValue ?? false)
        default: return nil
        }
    }

    /// Encodes the message as an event name and a payload with the sender and the addressee, if any.
    ///
    /// The payload of a candidate has neither of them: its ufrag identifies the description. The result is nil for the
    /// end of candidates, for which the protocol has no event.
    func wire(from sender: String, to addressee: String? = nil) -> (name: String, payload: JSON)? {
        guard let (name, payload) = event else { return nil }
        guard name != "candidate", case .object(var members) = payload else { return (name, payload) }
        members["from"] = .string(sender)
        members["to"] = addressee.map(JSON.string)
        if members["sdp"] != nil { members["wraps"] = true }
        return (name, .object(members))
    }

    /// The names of the events that may also be sent inside an `answer`.
    static let wrapped: Set = ["hangup", "ringing", "restart"]

    /// Whether the message may also be sent inside an `answer`.
    var isWrapped: Bool { event.map { Self.wrapped.contains($0.name) } ?? false }

    /// Encodes the message as the payload of an `answer`; nil if it is never sent inside an `answer`.
    func wrapping(from sender: String, to addressee: String? = nil) -> JSON? {
        guard isWrapped, let (name, payload) = wire(from: sender, to: addressee),
            case .object(var members) = payload
        else { return nil }
        members["event"] = .string(name)
        return .object(members)
    }

    private var event: (name: String, payload: JSON)? {
        switch self {
        case .offer(let offer): ("offer", ["type": "offer", "sdp": .string(offer.sdp)])
        case .answer(let answer, let offerID):
            ("answer", JSON(["type": "answer", "sdp": .string(answer.sdp)], optional: ["offer": offerID]))
        case .candidate(let candidate): candidate.isEndOfCandidates ? nil : ("candidate", candidate.wire)
        case .ringing(let offerID): ("ringing", JSON([:], optional: ["offer": offerID]))
        case .restart(let offerID): ("restart", JSON([:], optional: ["offer": offerID]))
        case .hangup(let offerID, let reason):
            ("hangup", JSON([:], optional: ["offer": offerID, "reason": reason]))
        case .mediaState(let state, let offerID, let asks):
            ("media_state", JSON(state.wire(asks: asks), optional: ["offer": offerID]))
        }
    }
}

extension MediaState {
    /// Parses `{audio, video, recording, holding}`; `recording` and `holding` are optional.
    ///
    /// The result is nil if a value is not a boolean.
    fileprivate init?(wire payload: JSON) {
        guard let audio = payload["audio"]?.boolValue, let video = payload["video"]?.boolValue else {
            return nil
        }
        self.init()
        (sendsAudio, sendsVideo) = (audio, video)
        for (name, field) in [("recording", \MediaState.isRecording), ("holding", \.isHolding)] {
            guard let value = payload[name] else { continue }
            guard let isOn = value.boolValue else { return nil }
            self[keyPath: field] = isOn
        }
    }

    fileprivate func wire(asks: Bool) -> JSONObject {
        var payload: JSONObject = [
            "audio": .bool(sendsAudio), "video": .bool(sendsVideo), "recording": .bool(isRecording),
            "holding": .bool(isHolding),
        ]
        if asks { payload["ask"] = true }
        return payload
    }
}

extension ICECandidate {
    /// The maximum length of a candidate line in bytes, well above that of any real one.
    private static let maximumLength = 4096

    /// Parses an RTCIceCandidateInit in any of its forms; null or an empty candidate is the end of
    /// candidates.
    fileprivate init?(wire payload: JSON) {
        var line: String
        switch (payload, payload["candidate"]) {
        case (.null, _), (.object, .null): line = ""
        case (.object, .string(let text)): line = text
        default: return nil
        }
        guard line.utf8.count <= Self.maximumLength else { return nil }
        while line.last?.isNewline == true { line.removeLast() }
        // A line break inside would smuggle another attribute into the description.
        guard !line.contains(where: \.isNewline) else { return nil }
        // A combining mark would hide the character before it from code that compares characters.
        guard line.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        while line.hasPrefix("a=") { line.removeFirst(2) }
        let index = payload["sdpMLineIndex"].flatMap { $0.intValue ?? $0.stringValue.flatMap { Int($0) } }
        self.init(
            candidate: line,
            sdpMid: payload["sdpMid"]?.textValue,
            sdpMLineIndex: index.flatMap { (0...65535).contains($0) ? $0 : nil },
            usernameFragment: payload["usernameFragment"]?.stringValue
        )
    }

    /// The candidate as an RTCIceCandidateInit.
    fileprivate var wire: JSON {
        JSON(
            [
                "candidate": .string(candidate),
                "sdpMid": sdpMid.map(JSON.string) ?? .null,
                "sdpMLineIndex": sdpMLineIndex.map(JSON.int) ?? .null,
            ],
            optional: ["usernameFragment": usernameFragment]
        )
    }
}
