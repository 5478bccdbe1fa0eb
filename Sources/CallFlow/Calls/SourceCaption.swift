/// What is sent, and why it is that.
package struct SourceCaption: Hashable, Sendable {
    /// Such as `webRtcTestVideo.mp4`.
    package var name: String
    /// Nil where it is what was asked for.
    package var reason: String?

    package init(name: String, reason: String?) {
        self.name = name
        self.reason = reason
    }
}
