import Basics
import Crypto

/// JSON Web Tokens composed by hand, including those that no library would sign.
enum JWTText {
    /// Composes a token with an HS256 signature, regardless of the algorithm in its header.
    static func compose(header: String, payload: String, secret: String) -> String {
        let message = "\(base64URL(header.utf8)).\(base64URL(payload.utf8))"
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(message.utf8),
            using: SymmetricKey(data: Array(secret.utf8))
        )
        return "\(message).\(base64URL(code))"
    }

    private static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        String(
            Base64.encode(Array(bytes)).compactMap { letter -> Character? in
                switch letter {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: letter
                }
            }
        )
    }
}
