/// The viewers who may play a stream or a recording.
enum PlaybackPolicy: String, Sendable {
    /// Everybody who knows the playback ID.
    case everybody = "public"
    /// Those who have a token that was signed with a key of the server.
    case signed
}
