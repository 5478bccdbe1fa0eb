internal import CSDL
internal import CallCore

extension CallWindow {
    /// Handles a window event; `time` is its SDL time stamp in milliseconds.
    func handle(_ event: SDL_WindowEventID, at time: UInt32) {
        if event == SDL_WINDOWEVENT_SIZE_CHANGED { inputs.happened(at: time) }
        switch event {
        case SDL_WINDOWEVENT_CLOSE: close(byUser: true)
        case SDL_WINDOWEVENT_EXPOSED, SDL_WINDOWEVENT_SIZE_CHANGED, SDL_WINDOWEVENT_SHOWN,
            SDL_WINDOWEVENT_RESTORED, SDL_WINDOWEVENT_MAXIMIZED, SDL_WINDOWEVENT_DISPLAY_CHANGED:
            needsRedraw = true
            screenHost.touch()
        case SDL_WINDOWEVENT_HIDDEN where window.isDestroyed:
            OpenWindows.shared.windowDestroyed()
            close(byUser: true)
        case SDL_WINDOWEVENT_LEAVE: screenHost.handle(.leave, scale: window.scale, now: clock())
        default: break
        }
    }

    /// Requests that the call end; the window itself remains open.
    func close(byUser: Bool) { actionContinuation.yield(.hangUp) }

    func displayLost() {
        window.isLost = true
        actionContinuation.yield(.displayLost)
    }

    /// Handles a key press as a command if the screen accepts it, otherwise as input to the screen.
    func handleKey(_ event: SDL_Event) {
        if leavesFullScreen(event.key) { return perform(.toggleFullScreen) }
        if let command = WindowCommand(event.key.keysym), screenHost.accepts(command) {
            guard event.key.repeat == 0 else { return }
            inputs.happened(at: event.key.timestamp)
            screenHost.handle(.other, scale: window.scale, now: clock())
            return perform(command)
        }
        handleInput(event)
    }

    /// Checks whether this key press is an Esc that leaves full-screen mode.
    ///
    /// Esc first closes an open sheet or menu, then leaves full-screen mode, and only then has its other
    /// effects.
    private func leavesFullScreen(_ key: SDL_KeyboardEvent) -> Bool {
        let code = SDL_KeyCode(rawValue: UInt32(bitPattern: key.keysym.sym))
        guard code == SDLK_ESCAPE, WindowCommand(key.keysym) != nil, key.repeat == 0 else { return false }
        return window.isFullScreen && !screenHost.ui.isCovered
    }

    /// Passes pointer and keyboard input to the screen.
    func handleInput(_ event: SDL_Event) {
        guard let input = InputEvent(event, zoom: screenHost.zoom * window.unitsPerPoint) else { return }
        inputs.happened(at: event.common.timestamp)
        screenHost.handle(input, scale: window.scale, now: clock())
    }

    func perform(_ command: WindowCommand) {
        if screenHost.perform(command) { return }
        switch command {
        case .escape where screenHost.isEmpty: break
        case .hangUp, .escape:
            actionContinuation.yield(.hangUp)
        case .toggleMute:
            scene.isMuted.toggle()
            needsRedraw = true
            actionContinuation.yield(.mute(scene.isMuted))
        case .toggleCamera:
            scene.isCameraOn.toggle()
            needsRedraw = true
            actionContinuation.yield(.camera(scene.isCameraOn))
        case .louder, .softer:
            actionContinuation.yield(.volume(louder: command == .louder))
        case .toggleFullScreen:
            window.toggleFullScreen()
            screenHost.isFullScreen = window.isFullScreen
            needsRedraw = true
        }
    }

    func frameArrived() {
        latestFrame.redrawArrived()
        hasNewPicture = true
    }
}
