internal import Basics

/// The header of a JSON Web Token (RFC 7515 §4), which is checked before the signature.
struct TokenHeader {
    private let members: JSON

    /// Reads the header of a token.
    ///
    /// - Throws: `TokenRefusal.malformed`.
    init(of token: String) throws(TokenRefusal) {
        let part = token.prefix { $0 != "." }
        guard part.endIndex < token.endIndex, let bytes = ForeignKey.base64(part),
            let members = try? JSON(parsing: bytes), members.objectValue != nil
        else { throw .malformed }
        self.members = members
    }

    /// Checks that the token uses the given algorithm and requires no extension.
    ///
    /// - Throws: `TokenRefusal` if the token's algorithm is another one, or if there is a `crit` member.
    func check(_ algorithm: String) throws(TokenRefusal) {
        guard members["alg"]?.stringValue == algorithm else { throw .otherAlgorithm }
        // No extension is supported, and a critical one must not be ignored (RFC 7515 §4.1.11).
        guard members["crit"] == nil else { throw .critical }
    }
}
