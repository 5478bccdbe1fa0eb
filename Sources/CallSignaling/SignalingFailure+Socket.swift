internal import Basics
internal import CallCore
internal import SocketIOClient

extension SignalingFailure {
    /// Creates the failure to report for a failed connection to `url`.
    init(_ failure: SocketFailure, url: String) {
        switch failure {
        case .notEngineIO(let detail, status: 401), .notEngineIO(let detail, status: 403):
            self = .forbidden(detail)
        // A proxy responds like this while its server is down.
        case .notEngineIO(let detail, status: let status?) where status >= 500:
            self = .unreachable(url: url, detail: detail)
        case .payloadRefused, .closed(code: 1009):
            self = .tooLarge(failure.description)
        case .notEngineIO, .malformed, .messageTooLarge:
            self = .notSocketIO(url: url, detail: failure.description)
        case .invalidURL:
            // The failure's own text may contain secrets of the URL.
            self = .unreachable(url: url, detail: "not an http:// or https:// address")
        // A server that does not answer may be busy, or stopped for a while.
        case .unreachable, .refused, .untrusted, .timedOut, .flooded, .unread, .closed, .silent,
            .addressLost, .broken:
            self = .unreachable(url: url, detail: failure.description)
        }
    }

    /// Creates the failure to report for a CONNECT_ERROR.
    ///
    /// A callrunner server states in `data` why it refuses a token; other servers put details into `message`
    /// or `data`.
    init(refusal message: String, data: JSON? = nil) {
        let words = message.lowercased()
        let text = ([message, data?.detail(beside: message)] as [String?]).compactMap(\.self)
            .joined(separator: ": ").printable()
        switch words {
        case "room_full": self = .roomFull
        case "role_taken": self = .roleTaken
        case _ where words.contains("auth") || words.contains("token"):
            self = .unauthorized(data?["reason"]?.stringValue?.printable() ?? text)
        default: self = .refused(text)
        }
    }
}

extension SocketFailure {
    /// Whether the server refuses a message because of its size, and would refuse it again.
    var isSizeRefusal: Bool {
        switch self {
        case .payloadRefused, .closed(code: 1009): true
        case .invalidURL, .unreachable, .refused, .untrusted, .notEngineIO, .timedOut, .messageTooLarge,
            .flooded, .unread, .malformed, .closed, .silent, .addressLost, .broken:
            false
        }
    }

    /// Whether another attempt would fail in the same way.
    var isFinal: Bool {
        switch self {
        // A proxy responds like this while its server is starting.
        case .notEngineIO(_, status: let status?) where status >= 500: false
        case .invalidURL, .untrusted, .notEngineIO, .messageTooLarge, .malformed, .payloadRefused: true
        // One attempt may be shorter than the server timeout, and a slow server may respond to the next.
        case .timedOut: false
        case .unreachable, .refused, .flooded, .unread, .closed, .silent, .addressLost, .broken: false
        }
    }
}
