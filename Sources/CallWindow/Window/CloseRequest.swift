/// The reason why a window asks for the end of the run; the window itself remains open.
package enum CloseRequest: Hashable, Sendable {
    /// The user has pressed the close button.
    case closeButton
    /// The display has been lost, and therefore the window.
    case displayLost
}
