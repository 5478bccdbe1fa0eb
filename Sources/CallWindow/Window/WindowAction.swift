/// An action that the user requests in a call's window.
package enum WindowAction: Hashable, Sendable {
    /// Hanging up, with the key `q`, a second Esc, or the close button; the window itself remains open.
    case hangUp
    /// Muting (true) or unmuting the microphone, with the key `m`.
    case mute(Bool)
    /// Turning the camera on (true) or off, with the key `v`.
    case camera(Bool)
    /// Changing the peer's volume, with the key `+` (louder) or `-`.
    case volume(louder: Bool)
    /// The loss of the display and therefore of the window.
    case displayLost
}
