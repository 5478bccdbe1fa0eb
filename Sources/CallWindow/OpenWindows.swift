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

    func handle(_ event: SDL_Event) {
        switch SDL_EventType(rawValue: event.type) {
        case SDL_WINDOWEVENT:
            window(event.window.windowID)?.handle(SDL_WindowEventID(UInt32(event.window.event)))
        case SDL_KEYDOWN where event.key.repeat == 0:
            if let command = WindowCommand(event.key.keysym) {
                window(event.key.windowID)?.perform(command)
            }
        case SDL_QUIT:
            for entry in entries.values { entry.window?.perform(.hangUp) }
        default:
            if WindowActor.executor.isRedraw(event) { window(event.user.windowID)?.pictureArrived() }
        }
    }

    func eventsHandled() {
        for entry in entries.values { entry.window?.redrawIfNeeded() }
    }

    private func window(_ id: UInt32) -> CallWindow? { entries[id]?.window }
}
