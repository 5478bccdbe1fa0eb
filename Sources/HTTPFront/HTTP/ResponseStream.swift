internal import NIOCore

/// A response that is being sent in parts.
struct ResponseStream {
    let keepsConnection: Bool
    /// Whether the body is sent in chunks (RFC 9112 §7.1), because its length is unknown.
    let isChunked: Bool
    /// The number of bytes that are left to be sent; nil if it is unknown.
    var remaining: Int?
    /// Completed when the client has read so much that another part may be sent.
    var nextPart: EventLoopPromise<Void>?

    mutating func allowNextPart() {
        nextPart?.succeed()
        nextPart = nil
    }
}
