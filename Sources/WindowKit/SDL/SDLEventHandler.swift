package import CSDL

/// A handler of SDL's events, called on the window thread.
@WindowActor package protocol SDLEventHandler: AnyObject, Sendable {
    /// Handles one event; must not block, and must not draw yet.
    func handle(_ event: SDL_Event)

    /// Handles a request to redraw a window; must not draw yet.
    func frameArrived(inWindow id: UInt32)

    /// The milliseconds until something must be drawn without an event; nil for never.
    var delay: Int? { get }

    /// Draws everything that has changed since the last call.
    func eventsHandled()

    /// Handles the loss of the display, after which no SDL function may be called.
    func displayLost()
}
