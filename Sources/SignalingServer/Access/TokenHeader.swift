internal import SocketIO

/// The header of a JSON Web Token (RFC 7515 §4), as far as it decides whether the token is looked at.
struct TokenHeader {
    private let members: JSON

    /// - Throws: `TokenRefusal.malformed`.
    init(of token: String) throws(TokenRefusal) {
        let part = token.prefix { $0 != "." }
        guard part.endIndex < token.endIndex, let bytes = ForeignKey.base64(part),
            let members = try? JSON(parsing: bytes), members.objectValue != nil
        else { throw .malformed }
        self.members = members
    }

    /// - Throws: `TokenRefusal` where the token is of another algorithm than the key's, or demands something.
    func check(_ algorithm: String) throws(TokenRefusal) {
        guard members["alg"]?.stringValue == algorithm else { throw .otherAlgorithm }
        // No extension is known here, and what is critical may not be passed over (RFC 7515 §4.1.11).
        guard members["crit"] == nil else { throw .critical }
    }
}
