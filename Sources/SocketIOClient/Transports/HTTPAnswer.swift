internal import CSoup
internal import GLibKit
internal import SocketIO

/// The response to an HTTP request.
struct HTTPAnswer: Hashable, Sendable {
    let status: Int
    let body: [UInt8]

    /// The failure; nil if the status is 200.
    ///
    /// It includes the error message of the server, shortened because it is untrusted text.
    var failure: SocketFailure? {
        guard status != 200 else { return nil }
        let reason = (try? JSON(parsing: body))?["message"]?.stringValue.map { ": \($0.shown)" } ?? ""
        return .notEngineIO(Self.text(status: status) + reason, status: status)
    }

    /// Describes an HTTP status.
    static func text(status: Int) -> String {
        let phrase = soup_status_get_phrase(guint(clamping: status)).map { String(cString: $0) } ?? ""
        return "HTTP status \(status) \(phrase)"
    }

    /// Checks whether a response refuses the client itself, and not only the WebSocket transport.
    ///
    /// Engine.IO servers and authenticating proxies send such responses.
    static func refusesClient(_ request: ObjectRef) -> Bool {
        let type = soup_message_headers_get_content_type(
            soup_message_get_response_headers(request.opaque),
            nil
        )
        switch soup_message_get_status(request.opaque).rawValue {
        case 401: return true
        // Proxies that block WebSocket answer 403 with a web page.
        case 403: return type.map { String(cString: $0) } == "application/json"
        default: return false
        }
    }
}

extension String {
    /// The first 120 characters of untrusted text, with control characters replaced by spaces.
    fileprivate var shown: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.prefix(120).map { $0.properties.generalCategory == .control ? " " : $0 }
            )
        )
    }
}
