/// An action that the user requests in a call's window.
package enum WindowAction: Hashable, Sendable {
    /// Hanging up, by `q`, a second Esc, or the close button; the window itself remains open.
    case hangUp
    /// Muting the microphone if true, or unmuting it, by `m`.
    case mute(Bool)
    /// Turning the camera on if true, or off, by `v`.
    case camera(Bool)
    /// Changing the peer's volume, by `+` (louder) or `-`.
    case volume(louder: Bool)
    /// The loss of the display, and of the window with it.
    case displayLost
}
