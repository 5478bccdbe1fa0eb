internal import NIOCore

/// A response that is being sent in parts.
struct ResponseStream {
    let keepsConnection: Bool
    /// Whether the body is sent in chunks (RFC 9112 §7.1), because its length is unknown.
    let isChunked: Bool
    /// The number of bytes that have not been sent yet; nil if the length is unknown.
    var remaining: Int?
    /// The promise to complete when the client has read enough for another part to be sent; nil if no part is waiting.
    var nextPart: EventLoopPromise<Void>?

    mutating func allowNextPart() {
        nextPart?.succeed()
        nextPart = nil
    }
}
