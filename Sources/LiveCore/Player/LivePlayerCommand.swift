/// A command of the user to a player.
package enum LivePlayerCommand: Hashable, Sendable {
    /// Plays another stream instead of the current one; nil only ends the current one.
    case select(LiveAddress?)
    /// Continues after a pause, or opens the stream again if it is lost or has ended.
    case play
    case pause
    /// Opens a stream that is lost, has failed or has ended again, at once.
    case retry
    case seek(LiveSeek)
    case setAudio(LiveAudio)
    case setLoops(Bool)
    /// Selects a loudspeaker by its ID; nil for the one that the player was made with.
    case setSpeaker(String?)
}
