internal import AppFlow
internal import Basics
internal import CSDL
internal import CallCore
internal import LiveCore
internal import WindowKit

extension CallWindow {
    /// Handles a window event; `time` is its SDL time stamp in milliseconds.
    func handle(_ event: SDL_WindowEventID, at time: UInt32) {
        if event == SDL_WINDOWEVENT_SIZE_CHANGED { inputs.happened(at: time) }
        switch event {
        case SDL_WINDOWEVENT_CLOSE: requestClosing()
        case SDL_WINDOWEVENT_EXPOSED, SDL_WINDOWEVENT_SIZE_CHANGED, SDL_WINDOWEVENT_SHOWN,
            SDL_WINDOWEVENT_RESTORED, SDL_WINDOWEVENT_MAXIMIZED, SDL_WINDOWEVENT_DISPLAY_CHANGED:
            needsRedraw = true
            screenHost.touch()
        case SDL_WINDOWEVENT_HIDDEN where window.isDestroyed:
            OpenWindows.shared.windowDestroyed()
            requestClosing()
        case SDL_WINDOWEVENT_FOCUS_GAINED: screenHost.shell?.isInFront.update { $0 = true }
        case SDL_WINDOWEVENT_FOCUS_LOST: screenHost.shell?.isInFront.update { $0 = false }
        case SDL_WINDOWEVENT_LEAVE: screenHost.handle(.leave, scale: window.scale, now: clock())
        default: break
        }
    }

    func requestClosing() { closeRequestContinuation.yield(.closeButton) }

    func displayLost() {
        window.isLost = true
        closeRequestContinuation.yield(.displayLost)
    }

    /// Handles a key press as a shortcut if the screen has one for it, otherwise as input to the screen.
    func handleKey(_ event: SDL_Event) {
        if leavesFullScreen(event.key) { return toggleFullScreen() }
        guard let key = WindowKey(event.key.keysym), screenHost.accepts(key) else {
            return handleInput(event)
        }
        guard event.key.repeat == 0 else { return }
        inputs.happened(at: event.key.timestamp)
        screenHost.handle(.other, scale: window.scale, now: clock())
        switch key {
        case .fullScreen: toggleFullScreen()
        case .shortcut(let key): screenHost.press(key)
        }
    }

    /// Checks whether this key press is an Esc that leaves full-screen mode.
    ///
    /// Esc first closes an open sheet or menu, then leaves full-screen mode, and only then has its other
    /// effects.
    private func leavesFullScreen(_ key: SDL_KeyboardEvent) -> Bool {
        guard WindowKey(key.keysym) == .shortcut(.escape), key.repeat == 0 else { return false }
        return window.isFullScreen && !screenHost.ui.isCovered
    }

    func toggleFullScreen() {
        window.toggleFullScreen()
        screenHost.isFullScreen = window.isFullScreen
        needsRedraw = true
    }

    /// Passes pointer and keyboard input to the screen.
    func handleInput(_ event: SDL_Event) {
        guard let input = InputEvent(event, zoom: screenHost.zoom * window.unitsPerPoint) else { return }
        inputs.happened(at: event.common.timestamp)
        // Without a window manager, windows may get input without the focus.
        switch input {
        case .press, .key, .text: screenHost.shell?.isInFront.update { $0 = true }
        default: break
        }
        screenHost.handle(input, scale: window.scale, now: clock())
    }

    /// Passes a dropped file or web address to the shell of the app; nil if it cannot be played.
    func drop(_ address: LiveAddress?) {
        screenHost.handle(.other, scale: window.scale, now: clock())
        screenHost.shell?.drop(address)
    }

    func frameArrived() {
        for frame in [latestFrame, live.latest, conversation.latest] { frame.redrawArrived() }
        hasNewPicture = true
    }
}
