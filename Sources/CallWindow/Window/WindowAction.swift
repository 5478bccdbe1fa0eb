/// What the user asks for in a call's window.
package enum WindowAction: Hashable, Sendable {
    /// `q`, a second Esc, or the window's close button; the window stays open until it is closed.
    case hangUp
    /// `m`: true when the microphone shall be muted.
    case mute(Bool)
    /// `v`: true when the camera shall be on.
    case camera(Bool)
    /// `+` and `-`: true when the peer shall be louder.
    case volume(louder: Bool)
    /// The display has gone, and the window with it.
    case displayLost
}
