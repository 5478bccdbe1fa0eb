internal import Basics
package import CallFlow

extension CallWindow {
    /// Shows each screen of the stream and its state changes, until the stream ends or the task is cancelled.
    package func follow(_ screens: AsyncStream<CallsScreen>, settings: SettingsViewModel) async {
        let looks = Task { await follow(settings) }
        var reader: Task<Void, Never>?
        for await screen in screens {
            reader?.cancel()
            await reader?.value
            show(screen, settings: settings)
            reader = Task { await watch(screen) }
        }
        for task in [reader, looks].compactMap(\.self) {
            task.cancel()
            await task.value
        }
    }

    /// Shows a screen in its current state.
    func show(_ screen: CallsScreen, settings: SettingsViewModel) {
        if case .call = screen, case .call? = screenHost.screen, screen != screenHost.screen {
            // The room screen between the two calls was never shown, so the first call's video is cleared
            // here.
            for side in MediaSide.allCases { clear(side) }
        }
        update {
            if case .call = screen {} else { leaveCall() }
            screenHost.set(settings.store.state.settings)
            screenHost.show(screen, settings: settings)
        }
        showTitle(of: screen)
    }

    /// Clears the audio levels, and leaves full-screen mode, for which a room shows no button.
    private func leaveCall() {
        scene.levels = [:]
        if screenHost.screenName == "call", window.isFullScreen { perform(.toggleFullScreen) }
    }

    private func follow(_ settings: SettingsViewModel) async {
        for await state in settings.store.states {
            changed { screenHost.set(state.settings) }
            if let shown = screenHost.shown { showTitle(of: shown) }
        }
    }

    private func watch(_ screen: CallsScreen) async {
        switch screen {
        case .login(let model): for await _ in model.store.states { changed {} }
        case .room(let model):
            for await _ in model.store.states {
                changed {}
                showTitle(of: screen)
            }
        case .call(let model):
            for await state in model.store.states {
                changed { scene.isCameraOn = !state.controls.isCameraOff }
                showTitle(of: screen)
            }
        }
    }

    /// Applies a change and marks the screen for a redraw; an unchanged result is not presented.
    private func changed(_ change: () -> Void) {
        guard isOpen else { return }
        change()
        screenHost.touch()  // drawn after all pending jobs have run
    }
}
