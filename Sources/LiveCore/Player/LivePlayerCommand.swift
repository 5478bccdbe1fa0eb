/// A command of the user to a player.
package enum LivePlayerCommand: Hashable, Sendable {
    /// Plays another stream instead of the current one; nil only closes the current one.
    case select(LiveAddress?)
    /// Continues after a pause, or reopens a stream that was lost, has failed or has ended.
    case play
    case pause
    /// Immediately reopens a stream that was lost, is not live, has failed or has ended.
    case retry
    case seek(LiveSeek)
    case setAudio(LiveAudio)
    case setLoops(Bool)
    /// Selects a loudspeaker by its ID; nil for the one with which the player was created.
    case setSpeaker(String?)
}
