internal import Basics
internal import CallCore
internal import Crypto
internal import HTTPFront

/// The TURN servers that accept credentials derived from a shared secret.
///
/// The scheme is that of `draft-uberti-behave-turn-rest`, which coturn calls `use-auth-secret`: the username
/// contains the expiry, and the credential is the HMAC-SHA1 of the username.
package struct TURNCredentials: Sendable {
    package let urls: [String]
    private let secret: [UInt8]
    /// The time for which new credentials are valid.
    package let timeToLive: Duration

    /// Creates the servers; `urls` are `turn:` and `turns:` URLs (RFC 7065) that share the secret.
    package init(urls: [String], secret: [UInt8], timeToLive: Duration) {
        self.urls = urls
        self.secret = secret
        self.timeToLive = timeToLive
    }

    /// Returns the time for which credentials are valid: until the client's room token expires, but at least
    /// `TokenKey.leeway` seconds, and at most `timeToLive`.
    ///
    /// `expiry` and the current time, `seconds`, are in seconds since 1970. Without an expiry, the result is
    /// `timeToLive`.
    func timeToLive(until expiry: Int?, at seconds: Int) -> Duration {
        guard let expiry else { return timeToLive }
        // A token that expires soon, or has just expired, gets credentials that are valid for the leeway.
        let left = max(expiry, seconds) - seconds
        return min(timeToLive, .seconds(max(TokenKey.leeway, left)))
    }

    /// Creates the ICE server entry with credentials for a user; `seconds` is the current time in seconds
    /// since 1970.
    ///
    /// Without the argument `timeToLive`, the credentials are valid for the configured time.
    func iceServer(
        for name: String,
        at seconds: Int,
        timeToLive: Duration? = nil
    ) -> ICEServer {
        let expiry = seconds + Int(clamping: (timeToLive ?? self.timeToLive).components.seconds)
        // Characters that SASLprep or a URL would change are omitted: the name only serves coturn's log.
        let name = name.unicodeScalars.filter { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        }
        let username = name.isEmpty ? "\(expiry)" : "\(expiry):\(String(name))"
        return ICEServer(urls: urls, username: username, credential: credential(for: username))
    }

    /// Computes the credential: Base64 of HMAC-SHA1(secret, username).
    package func credential(for username: String) -> String {
        let code = HMAC<Insecure.SHA1>.authenticationCode(
            for: Array(username.utf8),
            using: SymmetricKey(data: secret)
        )
        return Base64.encode(Array(code))
    }
}
