internal import Basics
internal import Crypto
internal import FoundationEssentials
internal import HTTPFront
internal import Hummingbird

/// The ID and the secret with which programs use the API of live streams.
package struct LiveToken: Sendable {
    private let credentials: [UInt8]

    /// Creates a token from `ID:SECRET`; nil if a part is empty.
    package init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex,
            text.index(after: colon) < text.endIndex
        else { return nil }
        credentials = Array(text.utf8)
    }

    /// Determines whether a request has these credentials (RFC 7617).
    func admits(_ request: Request) -> Bool {
        guard let given = request.credentials("basic").flatMap({ Base64.decode($0) }) else { return false }
        // Hashes are compared in constant time, so that the duration reveals nothing about the secret.
        return SHA256.hash(data: Data(given)) == SHA256.hash(data: Data(credentials))
    }
}
