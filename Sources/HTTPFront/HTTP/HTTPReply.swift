internal import Basics
internal import FrontParsers
package import NIOCore
package import NIOHTTP1

/// An HTTP response with its complete body, or the head of one whose body follows.
package struct HTTPReply {
    /// The announced length of a body.
    enum Length {
        case ofBody
        case known(Int)
        case chunked
        /// The end of the connection ends the body (RFC 9112 §6.3).
        case untilClose
    }

    package var status: HTTPResponseStatus
    package var headers: HTTPHeaders
    package var body: ByteBuffer
    /// The length to announce for the body.
    var length = Length.ofBody
    /// Whether the connection is closed after the response.
    package var endsConnection = false

    package init(_ status: HTTPResponseStatus, headers: HTTPHeaders = [:], body: ByteBuffer = ByteBuffer()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package init(_ status: HTTPResponseStatus = .ok, type: String, body: String) {
        self.init(status, headers: ["Content-Type": type], body: ByteBuffer(string: body))
    }

    /// Creates a refusal that asks the client to retry after a second.
    package init(tryAgain status: HTTPResponseStatus) { self.init(status, headers: ["Retry-After": "1"]) }

    /// Creates a refusal, with a code for programs and a message for people.
    ///
    /// The refusal of a WebSocket handshake has only the message, and ends the connection. The header value `nosniff`
    /// prevents browsers from interpreting the message, which may repeat a part of the request, as HTML.
    package init(_ status: HTTPResponseStatus, code: Int, message: String, to head: HTTPRequestHead) {
        if head.isWebSocketUpgrade {
            self.init(status, type: "text/plain; charset=utf-8", body: message)
            endsConnection = true
        } else {
            let body: JSON = ["code": .int(code), "message": .string(message)]
            self.init(status, type: "application/json", body: body.serialized())
        }
        headers.add(name: "X-Content-Type-Options", value: "nosniff")
    }

    /// Creates the response to a CORS preflight request (Fetch standard).
    init(preflight head: HTTPRequestHead) {
        var headers: HTTPHeaders = ["Access-Control-Allow-Methods": "GET,HEAD,PUT,PATCH,POST,DELETE"]
        if let requested = head.headers.first(name: "access-control-request-headers") {
            headers.add(name: "Access-Control-Allow-Headers", value: requested)
            headers.add(name: "Vary", value: "Access-Control-Request-Headers")
        }
        self.init(.noContent, headers: headers)
    }

    /// Serializes the response, without the body if the request was a `HEAD`.
    func serialized(to head: HTTPRequestHead, isKeptAlive: Bool) -> ByteBuffer {
        var output = ByteBufferAllocator().buffer(capacity: 512 + body.readableBytes)
        output.writeString("HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n")
        for (name, value) in headers {
            output.writeString("\(name): \(value)\r\n")
        }
        if status != .switchingProtocols {
            if !headers.contains(name: "cache-control") { output.writeString("Cache-Control: no-store\r\n") }
            output.writeString("Connection: \(isKeptAlive ? "keep-alive" : "close")\r\n")
            // For a 304, the field would have to contain the length of the omitted body (RFC 9110 §8.6).
            // For a 204, RFC 9110 forbids the field, but without it some browsers wait for a body (see `cors`
            // of npm).
            if status.permitsBody || status == .noContent && isEmpty { output.writeString(lengthField) }
        }
        output.writeString("\r\n")
        if head.method != .HEAD, status.permitsBody { output.writeImmutableBuffer(body) }
        return output
    }

    private var isEmpty: Bool { if case .ofBody = length { body.readableBytes == 0 } else { false } }

    private var lengthField: String {
        switch length {
        case .ofBody: "Content-Length: \(body.readableBytes)\r\n"
        case .known(let count): "Content-Length: \(count)\r\n"
        case .chunked: "Transfer-Encoding: chunked\r\n"
        case .untilClose: ""
        }
    }
}

extension HTTPResponseStatus {
    /// Whether a response with this status may have a body (RFC 9110 §6.4.1).
    var permitsBody: Bool { code >= 200 && self != .noContent && self != .notModified }
}
