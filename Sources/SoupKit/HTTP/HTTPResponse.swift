internal import Basics
internal import CSoup
internal import GLibKit

/// The response to an HTTP request.
package struct HTTPResponse: Hashable, Sendable {
    package var status: Int
    /// The URL that has answered: the last one, if redirects were followed; empty if it is unknown.
    package var url = ""
    package var headers = HTTPHeaders()
    /// The body; empty if it was written to a file.
    package var body: [UInt8]

    package init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8]) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// Whether the status is in 200...299.
    package var isSuccess: Bool { (200...299).contains(status) }

    /// Describes an HTTP status, such as `HTTP status 404 Not Found`.
    package static func text(status: Int) -> String {
        let phrase = soup_status_get_phrase(guint(clamping: status)).map { String(cString: $0) } ?? ""
        return "HTTP status \(status) \(phrase)"
    }

    @LoopActor
    init(to message: ObjectRef, body: [UInt8]) {
        status = Int(soup_message_get_status(message.opaque).rawValue)
        headers = HTTPHeaders(soup_message_get_response_headers(message.opaque))
        self.body = body
        if let text = soup_message_get_uri(message.opaque).flatMap({ g_uri_to_string($0) }) {
            url = String(cString: text).streamSafe
            g_free(text)
        }
    }
}

extension HTTPHeaders {
    init(_ headers: OpaquePointer?) {
        self.init()
        guard let headers else { return }
        var iterator = SoupMessageHeadersIter()
        soup_message_headers_iter_init(&iterator, headers)
        var name: UnsafePointer<CChar>?
        var value: UnsafePointer<CChar>?
        while soup_message_headers_iter_next(&iterator, &name, &value) != 0 {
            guard let name, let value else { continue }
            add(String(cString: name), String(cString: value).streamSafe)
        }
    }
}
