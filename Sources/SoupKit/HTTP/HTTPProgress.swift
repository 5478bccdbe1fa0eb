internal import GLibKit

/// The progress of an HTTP request in bytes.
package struct HTTPProgress: Hashable, Sendable {
    /// The bytes of the request's body that have been sent.
    package var sent = 0
    /// The size of the request's body.
    package var sentTotal = 0
    /// The bytes of the response's body that have arrived, after decompression.
    package var received = 0
    /// The size of the response's body as announced; nil if the server does not announce it or compresses it.
    package var receivedTotal: Int?

    package typealias Handler = @LoopActor @Sendable (HTTPProgress) -> Void
}
