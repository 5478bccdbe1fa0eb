/// A session description as its sender wrote it, which is parsed once, when this value is created.
package struct SignaledDescription: Hashable, Sendable {
    package let sdp: String
    private let parsed: Result<SessionDescription, SessionDescriptionError>

    package init(_ sdp: String) {
        self.sdp = sdp
        parsed = Result { () throws(SessionDescriptionError) in try SessionDescription(parsing: sdp) }
    }

    /// Returns the parsed description.
    ///
    /// - Throws: `SessionDescriptionError` if the text is not a session description.
    package func description() throws(SessionDescriptionError) -> SessionDescription { try parsed.get() }
}
