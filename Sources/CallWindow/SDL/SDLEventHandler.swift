internal import CSDL

/// A handler of the window thread's events, called on that thread.
@WindowActor protocol SDLEventHandler: AnyObject, Sendable {
    /// Handles one event; it must return soon and must not draw yet.
    func handle(_ event: SDL_Event)

    /// Notes that a window has something new to draw; it must not draw yet.
    func frameArrived(inWindow id: UInt32)

    /// The milliseconds until something must be drawn without an event; nil for never.
    var delay: Int? { get }

    /// Draws what has changed by time or by the events since the last call.
    func eventsHandled()

    /// Handles the loss of the display, after which no SDL function may be called.
    func displayLost()
}
