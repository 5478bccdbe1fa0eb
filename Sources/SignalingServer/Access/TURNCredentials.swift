package import CallCore
internal import Crypto
internal import SocketIO

/// TURN servers that trust whoever brings credentials made with a shared secret.
///
/// The scheme is that of `draft-uberti-behave-turn-rest`, which coturn calls `use-auth-secret`: the username
/// says until when it holds, and the credential is its HMAC-SHA1.
package struct TURNCredentials: Sendable {
    package let urls: [String]
    private let secret: [UInt8]
    /// How long credentials hold.
    package let timeToLive: Duration

    /// `urls` are `turn:` and `turns:` URLs (RFC 7065) that share the secret.
    package init(urls: [String], secret: [UInt8], timeToLive: Duration) {
        self.urls = urls
        self.secret = secret
        self.timeToLive = timeToLive
    }

    /// How long credentials hold for whom a room token let in that ends at `expiry`: no longer than that.
    ///
    /// Both are seconds since 1970; without an expiry, nothing shortens it.
    func timeToLive(until expiry: Int?, at seconds: Int) -> Duration {
        guard let expiry else { return timeToLive }
        // What is left of a token within its leeway is a little, not nothing.
        let left = max(expiry, seconds) - seconds
        return min(timeToLive, .seconds(max(TokenKey.leeway, left)))
    }

    /// The servers with credentials for somebody; `seconds` are those since 1970.
    ///
    /// Without `timeToLive` they hold as long as they may.
    package func iceServer(
        for name: String,
        at seconds: Int,
        timeToLive: Duration? = nil
    ) -> ICEServer {
        let expiry = seconds + Int(clamping: (timeToLive ?? self.timeToLive).components.seconds)
        // What SASLprep or a URL would change is left out: the name is there for coturn's log alone.
        let name = name.unicodeScalars.filter { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        }
        let username = name.isEmpty ? "\(expiry)" : "\(expiry):\(String(name))"
        return ICEServer(urls: urls, username: username, credential: credential(for: username))
    }

    /// Base64 of HMAC-SHA1(secret, username).
    package func credential(for username: String) -> String {
        let code = HMAC<Insecure.SHA1>.authenticationCode(
            for: Array(username.utf8),
            using: SymmetricKey(data: secret)
        )
        return Base64.encode(Array(code))
    }
}
