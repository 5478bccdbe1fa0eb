internal import NIOHTTP1

/// The point behind which the decoder of a connection reads nothing, and keeps all that follows: the end of a request
/// that asks for another protocol.
struct DecoderEnd {
    /// Whether all parts before the point have been read.
    private(set) var isReached = false
    private var isLastRequest = false

    /// Counts a part that the decoder has read.
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
