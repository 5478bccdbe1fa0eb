/// The `a=ssrc` lines of a session description (RFC 5576 §4.1).
enum SourceAttributes {
    /// The description without them.
    ///
    /// webrtcbin names its sources only once they flow, which is after the first answer. A browser that hears
    /// of a source's number later makes a new receiver for it and waits for a keyframe: all answers are silent
    /// about it, and RTP is matched by its payload type (RFC 8843 §9.2).
    static func removed(from description: String) -> String {
        SessionDescriptionText.editing(description) { $0.hasPrefix("a=ssrc:") ? nil : String($0) }
    }
}
