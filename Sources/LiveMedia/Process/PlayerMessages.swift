internal import Basics
internal import FoundationEssentials
internal import LiveCore
internal import MediaKit

/// A message between a program and the process of its player, on a line of JSON.
protocol PlayerMessage: Codable, Hashable, Sendable {}

/// A message to the process of a player.
///
/// The first one is `.open`; the end of the messages ends the process.
enum PlayerRequest: PlayerMessage {
    case open(PlayerSetup)
    case look(PlayerView)
    case apply(LiveOptions)
    case seek(LiveSeek)
}

/// A message from the process of a player.
enum PlayerReport: PlayerMessage {
    /// The stream is opened.
    case opened
    /// The stream cannot be opened.
    case refused(LiveFailure)
    case event(LiveStreamEvent)
    /// The process does not hang; reported regularly from the first request on.
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

/// The way in which somebody looks at the frames.
struct PlayerView: Codable, Hashable, Sendable {
    var isSeen: Bool
    /// The height in pixels at which frames are shown; nil if it is not known.
    var height: Int?
}

extension PlayerMessage {
    /// Returns the bytes of this message with the end of its line.
    func line() throws -> [UInt8] { try Array(JSONEncoder().encode(self)) + [UInt8(ascii: "\n")] }

    /// Reads a message from a line without its end.
    init(line: [UInt8]) throws { self = try JSONDecoder().decode(Self.self, from: Data(line)) }
}
