internal import CallCore
package import CallFlow

extension CallWindow {
    /// Shows each screen and its changes, until the stream ends or the task is cancelled.
    package func follow(_ screens: AsyncStream<Screen>, settings: SettingsViewModel) async {
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

    /// Shows a screen in its present state.
    func show(_ screen: Screen, settings: SettingsViewModel) {
        if case .call = screen, case .call? = screenHost.screen, screen != screenHost.screen {
            // The room between the two calls was too brief to be shown, so the first call's video is cleared
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

    /// Leaves the full screen, in which a room would show no way out.
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

    private func watch(_ screen: Screen) async {
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

    /// Applies a change; the window is presented only if it looks different.
    private func changed(_ change: () -> Void) {
        guard isOpen else { return }
        change()
        screenHost.touch()  // drawn once all pending jobs have run
    }
}
