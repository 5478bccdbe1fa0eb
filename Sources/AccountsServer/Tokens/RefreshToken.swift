internal import Basics
internal import Crypto

/// A token of 256 random bits, which is stored as a digest only.
struct RefreshToken {
    /// The number of letters of a token.
    private static let length = 43

    /// The token itself, which only its owner gets.
    let text: String

    init() { text = RandomText.make(bytes: 32) }

    /// Reads a token that a client has sent; nil if it cannot be one.
    init?(_ text: String) {
        guard text.utf8.count == Self.length else { return nil }
        self.text = text
    }

    /// The SHA-256 digest, in Base64 for URLs.
    var digest: String { RandomText.digest(text) }

    /// The name of a token in the access token that was issued at the same time; nobody can tell the token from it.
    static func name(of digest: String) -> String { String(digest.prefix(16)) }
}

/// Random texts that nobody can guess.
enum RandomText {
    static func make(bytes count: Int) -> String {
        var random = SystemRandomNumberGenerator()
        return Base64.encodeURL((0..<count).map { _ in UInt8.random(in: 0 ... .max, using: &random) })
    }

    /// Returns the SHA-256 digest of a text, in Base64 for URLs.
    static func digest(_ text: String) -> String {
        Base64.encodeURL(Array(SHA256.hash(data: Array(text.utf8))))
    }
}
