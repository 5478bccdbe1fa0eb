/// A session description as its sender wrote it, which is parsed once, when this value is created.
///
/// Each byte beyond ASCII is a question mark here, because it is only allowed in texts that nobody reads, such as the
/// name of the session (RFC 8866). A combining mark would change the character before it, so that a line begins with
/// `m=` for those who compare bytes, but not for those who compare characters.
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
