internal import NIOHTTP1

/// The end of the last HTTP request on a connection: one that requests an upgrade to another protocol, or a tunnel.
///
/// Nothing is read from the connection after it, and the decoder buffers later bytes that have already been received.
struct DecoderEnd {
    /// Whether the last request has been decoded completely.
    private(set) var isReached = false
    private var isLastRequest = false

    /// Records a part that has been decoded.
    mutating func pass(_ part: HTTPServerRequestPart) {
        switch part {
        case .head(let head): isLastRequest = head.endsRequests
        case .body: break
        case .end: isReached = isLastRequest
        }
    }
}

extension HTTPRequestHead {
    /// Whether no further HTTP request can follow on the connection (RFC 9110 §7.8, §9.3.6).
    var endsRequests: Bool { method == .CONNECT || headers.contains(name: "upgrade") }
}
