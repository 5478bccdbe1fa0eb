internal import CallCore
internal import SocketIOClient

extension SignalingFailure {
    /// What a failure to connect to `url` means to a person.
    init(_ failure: SocketFailure, url: String) {
        switch failure {
        case .notEngineIO(_, status: 401), .notEngineIO(_, status: 403):
            self = .unauthorized(failure.description)
        case .notEngineIO, .malformed, .messageTooLarge, .timedOut(.answer, _), .timedOut(.handshake, _),
            .timedOut(.namespace, _):
            self = .notSocketIO(url: url, detail: failure.description)
        case .invalidURL:
            // The address that it tells has not been cleared of secrets.
            self = .unreachable(url: url, detail: "that is no http:// or https:// address")
        case .unreachable, .refused, .untrusted, .timedOut(.connection, _), .flooded, .closed,
            .silent, .addressLost, .broken:
            self = .unreachable(url: url, detail: failure.description)
        }
    }

    /// What the message of a CONNECT_ERROR means.
    ///
    /// `reason` is why a token is refused, for people; foreign servers say it in the message.
    init(refusal message: String, reason: String? = nil) {
        let words = message.lowercased()
        switch words {
        case "room_full": self = .roomFull
        case "role_taken": self = .roleTaken
        case _ where words.contains("auth") || words.contains("token"):
            self = .unauthorized((reason ?? message).printable())
        default: self = .refused(message.printable())
        }
    }
}

extension SocketFailure {
    /// Whether another attempt would fail alike.
    var isFinal: Bool {
        switch self {
        // A proxy whose server is still starting answers like this.
        case .notEngineIO(_, status: let status?) where status >= 500: false
        case .invalidURL, .untrusted, .notEngineIO, .messageTooLarge, .malformed: true
        // One attempt may be shorter than the server timeout, and a slow server may answer another.
        case .timedOut: false
        case .unreachable, .refused, .flooded, .closed, .silent, .addressLost, .broken: false
        }
    }
}
