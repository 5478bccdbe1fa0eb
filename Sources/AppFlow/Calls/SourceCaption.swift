/// The name of the source that is sent and the reason for its choice.
package struct SourceCaption: Hashable, Sendable {
    /// The name, such as `webRtcTestVideo.mp4`.
    package var name: String
    /// The reason for the choice; nil if the source was requested.
    package var reason: String?

    package init(name: String, reason: String?) {
        self.name = name
        self.reason = reason
    }
}
