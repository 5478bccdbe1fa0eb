/// The reason why an HTTP request got no response, or a WebSocket connection was not opened or broke.
package enum HTTPFailure: Error, Hashable, Sendable {
    /// The request cannot be sent: its URL, its method or a header field is invalid.
    case invalidRequest(String)
    /// The host was not reached: no route, an unknown name, or no response.
    case unreachable(String)
    /// The host refused the connection: no program listens on the port.
    case refused(String)
    /// TLS failed, or the server's certificate is not trusted.
    case untrusted(String)
    /// The server refused the WebSocket opening handshake with this HTTP status.
    case status(Int)
    /// The server's response is not HTTP or not WebSocket, or the server closed the connection without one.
    case malformed(String)
    /// The server redirects in a circle, or to an invalid URL.
    case redirected(String)
    /// A received body or message exceeds the size limit.
    case tooLarge(limit: Int)
    /// The server did not read, and the unsent data exceeded the limit.
    case unread
    /// Neither side sent anything for this time.
    case timedOut(after: Duration)
    /// An open connection broke, or the response ended before its announced length.
    case broken(String)
    /// A file that is to be sent or written cannot be used.
    case file(path: String, reason: String)
}

extension HTTPFailure: CustomStringConvertible {
    /// The description of the failure in one sentence without a full stop.
    package var description: String {
        switch self {
        case .invalidRequest(let detail): "the request cannot be sent: \(detail)"
        case .unreachable(let detail), .refused(let detail), .broken(let detail): detail
        case .untrusted(let detail): "TLS: \(detail)"
        case .status(let status): HTTPResponse.text(status: status)
        case .malformed(let detail): "the server's response cannot be read: \(detail)"
        case .redirected(let detail): "the server's redirects cannot be followed: \(detail)"
        case .tooLarge(let limit): "the server sent more than the limit of \(limit) bytes"
        case .unread: "the server did not read what was sent to it"
        case .timedOut(let limit): "the server sent nothing for \(limit)"
        case .file(let path, let reason): "\(path): \(reason)"
        }
    }

    /// A hint for the user.
    package var hint: String {
        switch self {
        case .invalidRequest: "check the address, the method and the header fields"
        case .unreachable: "check the address and the network"
        case .refused: "check that the server runs and listens on that port"
        case .untrusted: "check the server's certificate and this computer's clock"
        case .status, .malformed, .redirected: "check that the address names the right server"
        case .tooLarge: "ask the operator of the server why the response is that large"
        case .unread, .timedOut, .broken: "check the network, then try again"
        case .file: "check the path and the permissions of the file, and that the disk has space"
        }
    }
}
