internal import CSDL

/// What the window thread hands its events to, on that thread.
@WindowActor protocol SDLEventHandler: AnyObject, Sendable {
    /// Takes one event; it must return soon and draw nothing yet.
    func handle(_ event: SDL_Event)

    /// Draws what the events since the last call have made out of date.
    func eventsHandled()
}
