internal import LiveCore
internal import MediaKit

/// A message to a player process.
///
/// The first message is `.open`. When the stream of messages ends, the process exits.
enum PlayerRequest: ProcessMessage {
    case open(PlayerSetup)
    case look(PlayerView)
    case apply(LiveOptions)
    case seek(LiveSeek)
}

/// A message from a player process.
enum PlayerReport: ProcessReport {
    /// The stream has been opened.
    case opened
    /// The stream cannot be opened.
    case refused(LiveFailure)
    case event(LiveStreamEvent)
    /// A heartbeat, which is sent regularly after the first request and shows that the process does not hang.
    case alive
}

/// The stream that a process plays, and its outputs.
struct PlayerSetup: Codable, Hashable, Sendable {
    var address: LiveAddress
    var options: LiveOptions
    var speaker: AudioDevice?
    var takesSelectedSpeaker: Bool
    /// Whether frames are passed on at all.
    var hasVideo: Bool
    var view: PlayerView
}

/// The visibility of the frames, and the height at which they are shown.
struct PlayerView: Codable, Hashable, Sendable {
    var isSeen: Bool
    /// The height in pixels at which frames are shown; nil if it is unknown.
    var height: Int?
}
