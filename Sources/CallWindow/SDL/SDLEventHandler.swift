internal import CSDL

/// What the window thread hands its events to, on that thread.
@WindowActor protocol SDLEventHandler: AnyObject, Sendable {
    /// Takes one event; it must return soon and draw nothing yet.
    func handle(_ event: SDL_Event)

    /// Something new is to be drawn there; it must draw nothing yet.
    func pictureArrived(inWindow id: UInt32)

    /// Milliseconds until something is to be drawn though no event comes; nil for never.
    var delay: Int? { get }

    /// Draws what time or the events since the last call have made out of date.
    func eventsHandled()

    /// The display has gone; nothing of SDL's may be called any more.
    func displayLost()
}
