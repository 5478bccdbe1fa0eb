internal import WindowKit

/// A common reason why a server cannot be reached, which has a translated text.
///
/// GLib, libsoup and the clients describe the reason only in English, so it is recognized by words of that description.
enum NetworkCause: Hashable, Sendable {
    case refused, unknownHost, noRoute, noAnswer, untrusted, closed
    /// The server has answered with this HTTP status.
    case status(Int)

    private static let words: [(NetworkCause, [String])] = [
        (.refused, ["connection refused"]),
        (
            .unknownHost,
            ["name or service not known", "error resolving", "name resolution", "no address associated"]
        ),
        (
            .noRoute,
            ["no route to host", "host is unreachable", "host unreachable", "network is unreachable"]
        ),
        (
            .noAnswer,
            [
                "timed out", "not answer", "no connection within", "sent nothing for", "no answer",
                "handshake within",
            ]
        ),
        (.closed, ["closed the connection", "reset by peer", "connection terminated", "broken pipe"]),
    ]

    /// Recognizes the reason in the description of a failure; nil if it is not a common one.
    init?(_ detail: String) {
        if detail.hasPrefix("TLS") {
            self = .untrusted
            return
        }
        if let found = detail.firstMatch(of: /HTTP status ([0-9]{3})/), let status = Int(found.1) {
            self = .status(status)
            return
        }
        let text = detail.lowercased()
        guard let cause = Self.words.first(where: { $0.1.contains { text.contains($0) } })?.0 else {
            return nil
        }
        self = cause
    }
}

extension Strings {
    /// Describes the reason for a failure in the user's language; an unknown description is returned unchanged.
    ///
    /// In English, the original description is returned, because it is more detailed.
    func reason(_ detail: String) -> String {
        guard language != "en", let cause = NetworkCause(detail) else { return detail }
        return switch cause {
        case .refused: self["cause.refused"]
        case .unknownHost: self["cause.unknown-host"]
        case .noRoute: self["cause.no-route"]
        case .noAnswer: self["cause.no-answer"]
        case .untrusted: self["cause.untrusted"]
        case .closed: self["cause.closed"]
        case .status(let status): self("cause.status", ["status": "\(status)"])
        }
    }
}
