internal import Basics
internal import Crypto

/// A token of 256 random bits; only its digest is stored.
struct RefreshToken {
    /// The number of characters of a token.
    private static let length = 43

    /// The token itself, which is sent only to the user.
    let text: String

    init() { text = RandomText.make(bytes: 32) }

    /// Parses a token that a client has sent; nil if its length is wrong.
    init?(_ text: String) {
        guard text.utf8.count == Self.length else { return nil }
        self.text = text
    }

    /// The SHA-256 digest in base64url.
    var digest: String { RandomText.digest(text) }

    /// Returns the name of a token, which the access token issued with it contains; the token cannot be derived from
    /// it.
    static func name(of digest: String) -> String { String(digest.prefix(16)) }
}

/// Random texts that cannot be guessed.
enum RandomText {
    static func make(bytes count: Int) -> String {
        var random = SystemRandomNumberGenerator()
        return Base64.encodeURL((0..<count).map { _ in UInt8.random(in: 0 ... .max, using: &random) })
    }

    /// Returns the SHA-256 digest of a text in base64url.
    static func digest(_ text: String) -> String {
        Base64.encodeURL(Array(SHA256.hash(data: Array(text.utf8))))
    }
}
