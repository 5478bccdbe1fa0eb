internal import CSDL
internal import LiveCore
internal import WindowKit

/// The open windows, to which SDL's events are delivered by window ID.
@WindowActor final class OpenWindows: SDLEventHandler {
    static let shared = OpenWindows()

    /// A weak reference to a window, which closes itself and removes its entry when it is released.
    private struct Entry {
        weak var window: CallWindow?
    }

    private var entries: [UInt32: Entry] = [:]
    /// The pending mouse motion: the latest position, with the time stamp of the first event.
    ///
    /// A mouse may send a thousand events per second, so successive motion events are merged.
    private var move: SDL_Event?
    /// Whether an item of the current drop operation has been passed to a window.
    private var hasDropped = false

    func add(_ window: CallWindow, id: UInt32) {
        entries[id] = Entry(window: window)
        WindowActor.executor.waitForEvents(handledBy: self)
    }

    /// Removes a window; to be called before it is destroyed.
    func remove(id: UInt32) {
        entries[id] = nil
        if entries.isEmpty { WindowActor.executor.stopWaitingForEvents() }
    }

    /// Makes the executor stop waiting for events if no other window is left.
    ///
    /// Without a window, SDL cannot interrupt such a wait.
    func windowDestroyed() {
        if entries.count < 2 { WindowActor.executor.stopWaitingForEvents() }
    }

    var delay: Int? { entries.values.compactMap { $0.window?.delay }.min() }

    func handle(_ event: SDL_Event) {
        if event.type == SDL_MOUSEMOTION.rawValue { return keep(event) }
        finishMove()
        let time = event.common.timestamp
        switch SDL_EventType(rawValue: event.type) {
        case SDL_WINDOWEVENT:
            window(event.window.windowID)?.handle(SDL_WindowEventID(UInt32(event.window.event)), at: time)
        case SDL_KEYDOWN: window(event.key.windowID)?.handleKey(event)
        case SDL_TEXTINPUT: window(event.text.windowID)?.handleInput(event)
        case SDL_TEXTEDITING: window(event.edit.windowID)?.handleInput(event)
        case SDL_MOUSEBUTTONDOWN, SDL_MOUSEBUTTONUP: window(event.button.windowID)?.handleInput(event)
        case SDL_MOUSEWHEEL: window(event.wheel.windowID)?.handleInput(event)
        case SDL_DROPBEGIN, SDL_DROPFILE, SDL_DROPTEXT, SDL_DROPCOMPLETE: drop(event.drop)
        case SDL_QUIT:
            for entry in entries.values { entry.window?.requestClosing() }
        default: break
        }
    }

    func frameArrived(inWindow id: UInt32) { window(id)?.frameArrived() }

    /// Passes the first file or web address of a drop operation to its window, or nil if there is none.
    private func drop(_ event: SDL_DropEvent) {
        switch SDL_EventType(rawValue: event.type) {
        case SDL_DROPFILE, SDL_DROPTEXT:
            guard let bytes = event.file else { return }
            defer { SDL_free(bytes) }
            let text = String(cString: bytes)
            let isURL = text.hasPrefix("http://") || text.hasPrefix("https://")
            let address =
                event.type == SDL_DROPFILE.rawValue ? .file(text) : isURL ? try? LiveAddress(text) : nil
            guard !hasDropped, let address else { return }
            hasDropped = true
            window(event.windowID)?.drop(address)
        case SDL_DROPCOMPLETE:
            if !hasDropped { window(event.windowID)?.drop(nil) }
            hasDropped = false
        default: hasDropped = false
        }
    }

    private func keep(_ event: SDL_Event) {
        var event = event
        if let move, move.motion.windowID == event.motion.windowID {
            event.motion.timestamp = move.motion.timestamp
        } else {
            finishMove()
        }
        move = event
    }

    private func finishMove() {
        guard let event = move else { return }
        move = nil
        window(event.motion.windowID)?.handleInput(event)
    }

    func eventsHandled() {
        finishMove()
        for entry in entries.values { entry.window?.redrawIfNeeded() }
    }

    func displayLost() {
        for entry in entries.values { entry.window?.displayLost() }
    }

    private func window(_ id: UInt32) -> CallWindow? { entries[id]?.window }
}
