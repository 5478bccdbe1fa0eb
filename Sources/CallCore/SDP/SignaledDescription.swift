/// The text of a session description, which is parsed once, when this value is created.
///
/// Each byte beyond ASCII is replaced by a question mark, because RFC 8866 allows such bytes only in texts that are not
/// used here, such as the session name. A combining mark, for example, would merge with the character before it: a
/// comparison of bytes would find a line that begins with `m=`, but a comparison of characters would not.
package struct SignaledDescription: Hashable, Sendable {
    package let sdp: String
    private let parsed: Result<SessionDescription, SessionDescriptionError>

    package init(_ sdp: String) {
        let sdp = Self.ascii(sdp)
        self.sdp = sdp
        parsed = Result { () throws(SessionDescriptionError) in try SessionDescription(parsing: sdp) }
    }

    private static func ascii(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
        return String(decoding: text.utf8.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// Returns the parsed description.
    ///
    /// - Throws: `SessionDescriptionError` if the text is not a session description.
    package func description() throws(SessionDescriptionError) -> SessionDescription { try parsed.get() }
}
