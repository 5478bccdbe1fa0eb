internal import CSoup
internal import GLibKit
internal import SocketIO

/// The answer to an HTTP request.
struct HTTPAnswer: Hashable, Sendable {
    let status: Int
    let body: [UInt8]

    /// Why the answer is none that a session goes on with; nil for 200.
    ///
    /// Engine.IO's own reason, where the answer gives one, is shown in part: it is a stranger's text.
    var failure: SocketFailure? {
        guard status != 200 else { return nil }
        let reason = (try? JSON(parsing: body))?["message"]?.stringValue.map { ": \($0.shown)" } ?? ""
        return .notEngineIO(Self.text(status: status) + reason, status: status)
    }

    /// A status in words.
    static func text(status: Int) -> String {
        let phrase = soup_status_get_phrase(guint(clamping: status)).map { String(cString: $0) } ?? ""
        return "HTTP status \(status) \(phrase)"
    }

    /// Whether the answer to a request refuses who asks, as Engine.IO and authenticating proxies do, and
    /// not the transport asked for.
    static func refusesClient(_ request: ObjectRef) -> Bool {
        let type = soup_message_headers_get_content_type(
            soup_message_get_response_headers(request.opaque),
            nil
        )
        switch soup_message_get_status(request.opaque).rawValue {
        case 401: return true
        // Proxies that let no WebSocket pass answer 403 with a page.
        case 403: return type.map { String(cString: $0) } == "application/json"
        default: return false
        }
    }
}

extension String {
    /// At most 120 characters of a stranger's text, none of them a control character.
    fileprivate var shown: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.prefix(120).map { $0.properties.generalCategory == .control ? " " : $0 }
            )
        )
    }
}
