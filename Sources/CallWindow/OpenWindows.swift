internal import CSDL

/// The windows that SDL's events are for, by SDL's number.
@WindowActor final class OpenWindows: SDLEventHandler {
    static let shared = OpenWindows()

    /// Unowned by intent: a window that nobody holds any more closes itself, and takes itself out of here.
    private struct Entry {
        weak var window: CallWindow?
    }

    private var entries: [UInt32: Entry] = [:]

    func add(_ window: CallWindow, id: UInt32) {
        entries[id] = Entry(window: window)
        WindowActor.executor.waitForEvents(handledBy: self)
    }

    /// Called before the window is destroyed.
    func remove(id: UInt32) {
        entries[id] = nil
        if entries.isEmpty { WindowActor.executor.stopWaitingForEvents() }
    }

    var delay: Int? { entries.values.compactMap { $0.window?.delay }.min() }

    func handle(_ event: SDL_Event) {
        switch SDL_EventType(rawValue: event.type) {
        case SDL_WINDOWEVENT:
            window(event.window.windowID)?.handle(SDL_WindowEventID(UInt32(event.window.event)))
        case SDL_KEYDOWN: window(event.key.windowID)?.handleKey(event)
        case SDL_TEXTINPUT: window(event.text.windowID)?.handleInput(event)
        case SDL_MOUSEMOTION: window(event.motion.windowID)?.handleInput(event)
        case SDL_MOUSEBUTTONDOWN, SDL_MOUSEBUTTONUP: window(event.button.windowID)?.handleInput(event)
        case SDL_MOUSEWHEEL: window(event.wheel.windowID)?.handleInput(event)
        case SDL_QUIT:
            for entry in entries.values { entry.window?.close(byUser: true) }
        default:
            if WindowActor.executor.isRedraw(event) { window(event.user.windowID)?.pictureArrived() }
        }
    }

    func eventsHandled() {
        for entry in entries.values { entry.window?.redrawIfNeeded() }
    }

    func displayLost() {
        for entry in entries.values { entry.window?.displayLost() }
    }

    private func window(_ id: UInt32) -> CallWindow? { entries[id]?.window }
}
