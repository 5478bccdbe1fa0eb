package import AppFlow
internal import Basics
internal import LiveCore
internal import WindowKit

extension CallWindow {
    /// Shows each screen of the stream and its state changes, until the stream ends or the task is cancelled.
    ///
    /// With a `shell`, the window has a bar with the destinations of the app.
    package func follow(
        _ screens: some AsyncSequence<Screen, Never> & Sendable,
        settings: SettingsViewModel,
        shell: AppShell? = nil
    ) async {
        if shell?.live != nil, !window.isLost { SDLWindow.acceptDrops() }
        shell?.isInFront.update { $0 = window.hasFocus }
        let looks = Task { await follow(settings) }
        let stream = Task { await follow(shell?.live) }
        let notices = Task { if let shell { await watch(shell.notices.store) } }
        // The bar below every screen shows the number of unread conversations.
        let chats = Task { if let chats = shell?.chats { await follow(chats.model) } }
        let missed = Task { if let shell { await watch(shell.missedCalls) } }
        let rings = Task { if let calls = shell?.chatCalls { await watch(calls.ring) } }
        let raises = Task { if let shell { await followRaises(of: shell) } }
        var reader: Task<Void, Never>?
        for await screen in screens {
            reader?.cancel()
            await reader?.value
            show(screen, settings: settings, shell: shell)
            reader = Task { await watch(screen, shell) }
        }
        for task in [reader, looks, stream, notices, chats, missed, rings, raises].compactMap(\.self) {
            task.cancel()
            await task.value
        }
    }

    /// Shows a screen in its current state.
    func show(_ screen: Screen, settings: SettingsViewModel, shell: AppShell? = nil) {
        if !screen.hasBar, let shown = screenHost.shown, !shown.hasBar, screen != shown {
            // The room screen between the two calls was never shown, so the first call's video is cleared
            // here.
            for side in MediaSide.allCases { clear(side) }
        }
        update {
            if screen.hasBar { leaveCall() }
            if screen.hasBar, screen.destination != .home, !window.isLost { letScreenSleep() }
            screenHost.set(settings.store.state.settings)
            screenHost.show(screen, shell: shell)
        }
        showTitle()
    }

    /// Shows every control in every state, instead of a screen.
    package func showGallery() {
        update { screenHost.showGallery() }
        showTitle()
    }

    /// Clears the audio levels, and leaves full-screen mode, because the room screen has no button for that.
    private func leaveCall() {
        scene.levels = [:]
        if screenHost.shown?.hasBar == false, window.isFullScreen { toggleFullScreen() }
    }

    private func follow(_ settings: SettingsViewModel) async {
        for await state in settings.store.states {
            changed { screenHost.set(state.settings) }
            showTitle()
        }
    }

    private func followRaises(of shell: AppShell) async {
        for await count in shell.raises.states where count > 0 && isOpen { window.raise() }
    }

    private func follow(_ live: LiveFlow?) async {
        guard let live else { return }
        async let moved: Void = watchMoves(of: live.model.live)
        await follow(live.model.live)
        await moved
    }

    /// Leaves full-screen mode when the small window opens, because this window would hide the small one.
    private func watchMoves(of live: LiveViewModel) async {
        for await isSmall in live.isSmall.states {
            if isSmall, isOpen, !window.isLost, window.isFullScreen { toggleFullScreen() }
            stateChanged()
        }
    }

    private func follow(_ live: LiveViewModel) async {
        var address: LiveAddress?
        for await playback in live.store.states {
            if playback.address != address { clear(self.live) }
            address = playback.address
            if playback.state != .playing, screenHost.showsLargeStream, !window.isLost { letScreenSleep() }
            stateChanged()
        }
    }

    private func follow(_ chats: ChatsViewModel) async {
        var sound: ChatSound?
        for await state in chats.store.states {
            let new = state.transfers.sound
            // The previous video has ended when this one has been loaded.
            let isLoaded = sound?.phase == .loading && new?.phase != .loading
            if new?.id != sound?.id || isLoaded { clear(conversation) }
            if sound?.phase == .playing, new?.phase != .playing, !window.isLost { letScreenSleep() }
            sound = new
            stateChanged()
        }
    }

    /// Removes the last frame of the previous stream.
    private func clear(_ video: StreamVideo) {
        guard !window.isLost else { return }  // no SDL function may be called any more
        update { video.clear() }
    }

    private func watch(_ screen: Screen, _ shell: AppShell?) async {
        switch screen {
        case .calls(let screen): await watch(screen)
        case .home(let model):
            async let previewed: Void = watch(model.previews.store)
            async let rung: Void = watchRinging(shell)
            await watch(model.store)
            _ = await (previewed, rung)
        case .library(let model):
            async let previewed: Void = watch(model.previews.store)
            async let rung: Void = watchRinging(shell)
            await watch(model.store)
            _ = await (previewed, rung)
        case .chats: await watchRinging(shell)
        case .account(let model):
            async let rung: Void = watchRinging(shell)
            await watch(model.store)
            await rung
        case .settings: await watchRinging(shell)
        case .live(let model):
            for await playback in model.store.states {
                if playback.state != .playing, isOpen, !window.isLost { letScreenSleep() }
                stateChanged()
            }
        }
    }

    private func watch(_ store: StateStore<some Equatable & Sendable>) async {
        for await _ in store.states { stateChanged() }
    }

    /// Redraws the window when a call rings or ends while another destination is shown.
    private func watchRinging(_ shell: AppShell?) async {
        await shell?.calls.screens.forLatest { [weak self] in await self?.watch($0) }
    }

    private func watch(_ screen: CallsScreen) async {
        await screen.follow { [weak self] in await self?.stateChanged() }
    }

    private func stateChanged() {
        changed { scene.isCameraOn = screenHost.isCameraOn }
        showTitle()
    }

    /// Applies a change and marks the screen for a redraw, whose result is presented only if it differs.
    private func changed(_ change: () -> Void) {
        guard isOpen else { return }
        change()
        screenHost.touch()  // drawn after all pending jobs have run
    }
}
