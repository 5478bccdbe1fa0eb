internal import AccountsCore
package import Basics
internal import CallCore
internal import ChatCore
package import LiveCore

/// The shell of the app, which runs the flows of all destinations side by side and selects the screen to show.
///
/// The flows are independent of each other. The shell shows a call from its beginning, whichever screen is shown, and
/// ends all flows when the user quits.
@MainActor package final class AppShell {
    private enum Input: Sendable {
        /// The flow of calls has changed its screen.
        case callsChanged
        /// The user has selected a destination.
        case selected(Destination)
        /// A call was missed; the value is the caller's name, if it is known.
        case missed(String?)
        /// A call from a conversation was missed.
        case missedFromChat(ChatPerson)
        /// A call from the conversation with this person has ended, so the conversation must be shown.
        case returned(ChatPerson)
        /// The user has clicked a notification about a person.
        case clicked(ChatPerson)
        /// The user has dropped a file or web address on the window; nil if it cannot be played.
        case dropped(LiveAddress?)
    }

    package nonisolated let calls: CallsFlow
    package nonisolated let settings: SettingsFlow
    /// The live stream; nil if the app has no player.
    package nonisolated let live: LiveFlow?
    /// The past calls and recordings; nil if the app has no player.
    package nonisolated let library: LibraryFlow?
    /// The user's account; nil if the app has none.
    package nonisolated let account: AccountFlow?
    /// The chat; nil if the app has none.
    package nonisolated let chats: ChatFlow?
    /// The controller of calls from conversations; nil if the app has no chat.
    package nonisolated let chatCalls: ChatCalls?
    package nonisolated let notices = Notices()
    /// The number of missed calls since the destination Calls was last shown.
    package nonisolated let missedCalls = StateStore(0)
    /// Whether the window is in front, so that the user can see changes.
    package nonisolated let isInFront = StateStore(true)
    /// The number of requests to bring the window to the front.
    package nonisolated let raises = StateStore(0)
    private let notifier: ChatNotifier?
    private let screen: StateStore<Screen>
    private let inputs = AsyncStream.makeStream(of: Input.self)

    /// Creates the shell with the saved data of the app.
    ///
    /// `server` replaces the saved server until the user sets another one; the same applies to `token`. Without a
    /// `player`, there is neither Home nor Library. `soundPlayer` plays the audio of conversations. `opening` is the
    /// destination shown first.
    package init(
        services: any AppServices,
        memory: any AppMemory,
        recordings: any RecordingStore,
        server: String? = nil,
        token: String? = nil,
        volume: Int = PlaybackVolume.normal,
        player: LivePlayer? = nil,
        soundPlayer: LivePlayer? = nil,
        hasAccount: Bool = false,
        hasChat: Bool = false,
        opening: Destination = .calls,
        clock: any Clock<Duration> = ContinuousClock()
    ) async {
        let saved = token == nil ? await memory.token() : token
        let model = SettingsViewModel(
            await memory.settings(),
            server: server,
            token: saved,
            isAddress: services.isAddress
        )
        calls = await CallsFlow(
            services: services,
            memory: memory,
            settings: model,
            volume: volume,
            clock: clock
        )
        settings = SettingsFlow(
            model,
            memory: memory,
            services: services,
            forgotten: calls.forgotten,
            events: calls.eventsContinuation
        )
        let (samples, previews) = (services.samples, RecordingPreviews(recordings))
        let notices = notices
        live = player.map {
            LiveFlow(
                $0,
                previews,
                services: services,
                settings: model,
                recordings: recordings,
                notices: notices
            )
        }
        library = live.map {
            LibraryFlow(
                $0.model.live,
                previews,
                samples: samples,
                recordings: recordings,
                memory: memory,
                notices: notices
            )
        }
        account =
            hasAccount
            ? AccountFlow(services: services, settings: model, notices: notices, clock: clock) : nil
        chats =
            hasChat
            ? ChatFlow(
                services: services,
                settings: model,
                player: soundPlayer,
                isInFront: isInFront,
                clock: clock,
                now: { Timestamp.now }
            )
            : nil
        chatCalls = chats.map { [calls, inputs = inputs.continuation] chats in
            ChatCalls(calls, chats, notices, clock: clock) {
                inputs.yield(.missedFromChat($0))
            } show: {
                inputs.yield(.returned($0))
            }
        }
        notifier =
            if let chats, let chatCalls, let service = services.notifications {
                ChatNotifier(chats, chatCalls.ring, model, isInFront: isInFront, service) {
                    [inputs = inputs.continuation] in inputs.yield(.clicked($0))
                }
            } else {
                nil
            }
        screen = StateStore(.calls(calls.currentScreen))
        if let first = screen(of: opening) { screen.update { $0 = first } }
    }

    /// A stream of the current screen and each screen that follows; it supports any number of readers.
    package nonisolated var screens: AsyncStream<Screen> { screen.states }

    /// The state that becomes true when the user ends the run.
    package nonisolated var isQuitting: StateStore<Bool> { calls.router.isQuitting }

    /// The destinations that the bar at the bottom of the window offers, from left to right.
    package nonisolated var destinations: [Destination] {
        Destination.allCases.filter { destination in
            switch destination {
            case .home, .library: live != nil
            case .chats: chats != nil
            case .account: account != nil
            case .calls, .settings: true
            }
        }
    }

    /// Shows a destination; ignored while the screen of a call is shown.
    package nonisolated func show(_ destination: Destination) {
        inputs.continuation.yield(.selected(destination))
    }

    /// Handles a file or web address that was dropped on the window; nil posts a notice that it cannot be played.
    ///
    /// A file becomes the picture of the profile being edited, or is sent in the open conversation. Otherwise, Home
    /// plays it. Ignored while the screen of a call is shown.
    package nonisolated func drop(_ address: LiveAddress?) { inputs.continuation.yield(.dropped(address)) }

    /// Hangs up, leaves the room and ends the run.
    package nonisolated func quit() { calls.leave() }

    /// Runs the whole app; must be called only once.
    package func run() async -> RunOutcome {
        // The first screen is reported before a destination that the user has selected in the meantime.
        let first = screen.state
        calls.begin(isShown: first.destination == .calls)
        if let destination = first.destination, destination != .calls {
            calls.report(.screen(first.name))
            opened(destination)
        }
        let outcome = await withTaskGroup { group in
            group.addTask { await self.settings.run() }
            group.addTask { await self.followInputs() }
            if let live { group.addTask { await live.run(beside: self.calls) } }
            if let library { group.addTask { await library.run(beside: self.calls) } }
            if let account {
                group.addTask { await account.run() }
                group.addTask { await self.followPages(of: account) }
            }
            if let chats {
                group.addTask { await chats.run() }
                group.addTask { await self.followPages(of: chats) }
            }
            if let chatCalls, let chats {
                group.addTask {
                    await chatCalls.run()
                    // The chat continues until it has notified the other side of the end of a call.
                    await chats.finish()
                }
            }
            let notifying = Task { await notifier?.run() }
            group.addTask {
                for await _ in self.calls.screens { self.inputs.continuation.yield(.callsChanged) }
            }
            group.addTask {
                for await peer in self.calls.missed.stream { self.inputs.continuation.yield(.missed(peer)) }
            }
            let outcome = await calls.runSteps()
            notifying.cancel()
            calls.missed.continuation.finish()
            missedCalls.finish()
            settings.finish()
            live?.finish()
            library?.finish()
            account?.finish()
            account?.model.store.finish()
            chatCalls?.finish()
            inputs.continuation.finish()
            await notifying.value
            return outcome
        }
        screen.finish()
        calls.finishEvents()
        return outcome
    }

    private func followInputs() async {
        for await input in inputs.stream {
            // The flow of calls may have changed its screen since the input was sent.
            let current = Screen.calls(calls.currentScreen)
            switch input {
            case .callsChanged:
                suggestName()
                if screen.state.destination == .calls || !current.hasBar { show(current) }
            case .missed(let peer):
                // The room's screen shows the missed call itself.
                guard screen.state.destination != .calls else { continue }
                missedCalls.update { $0 += 1 }
                notices.post(.callMissed(peer))
            case .missedFromChat(let person):
                if screen.state.destination != .calls { missedCalls.update { $0 += 1 } }
                notices.post(.callMissed(person.name))
            case .returned(let person): if current.hasBar { open(person) }
            case .clicked(let person):
                raises.update { $0 += 1 }
                // A call is answered or declined first.
                if current.hasBar, chatCalls?.ring.state == nil { open(person) }
            case .selected(let destination) where current.hasBar:
                guard let next = screen(of: destination) else { continue }
                if destination == .account, screen.state.destination == .account { account?.model.reselect() }
                show(next)
                opened(destination)
            case .selected: show(current)
            case .dropped(let address):
                guard current.hasBar, let live else { continue }
                if case .account = screen.state, takesPicture(address) { continue }
                if case .chats = screen.state, sends(address) { continue }
                guard let address else {
                    notices.post(.notPlayable)
                    continue
                }
                live.model.open(address)
                show(.home(live.model))
                opened(.home)
            }
        }
    }

    /// Shows the conversation with a person; its screen is reported once the conversation is open.
    private func open(_ person: ChatPerson) {
        guard let chats else { return }
        show(.chats(chats.model))
        chats.model.send(.open(person))
        opened(.chats)
    }

    /// Uses a dropped file as the user's picture if the profile is being edited; otherwise returns false.
    private func takesPicture(_ address: LiveAddress?) -> Bool {
        guard let account, case .edit = account.model.store.state.page, case .file(let path)? = address else {
            return false
        }
        account.model.send(.usePicture(file: path))
        return true
    }

    /// Sends a dropped file to the person whose conversation is open; returns false if none is open.
    private func sends(_ address: LiveAddress?) -> Bool {
        guard let chats, chats.model.store.state.chat != nil, case .file(let path)? = address else {
            return false
        }
        chats.model.send(.file(.send(path: path)))
        return true
    }

    /// Reports each page of the account as a screen while the account is shown.
    private func followPages(of account: AccountFlow) async {
        var last = account.model.store.state.name
        for await state in account.model.store.states {
            suggestName()
            chats?.use(state.profile.map { ChatUser(id: $0.id, name: $0.name) })
            guard state.name != last else { continue }
            last = state.name
            if screen.state.destination == .account { calls.report(.screen(last)) }
        }
    }

    /// Reports the list and the conversations as screens while the chat is shown.
    private func followPages(of chats: ChatFlow) async {
        var last = chats.model.store.state.name
        for await state in chats.model.store.states where state.name != last {
            last = state.name
            if screen.state.destination == .chats { calls.report(.screen(last)) }
        }
    }

    /// Enters the name of the signed-in user on the login screen, unless a name has been typed there.
    private func suggestName() {
        guard let name = account?.model.store.state.profile?.name,
            case .login(let login) = calls.currentScreen,
            login.store.state.username.isEmpty
        else { return }
        login.send(.setUsername(name))
    }

    /// Returns the screen of a destination; nil if the app does not have it.
    private func screen(of destination: Destination) -> Screen? {
        switch destination {
        case .home: live.map { .home($0.model) }
        case .library: library.map { .library($0.model) }
        case .chats: chats.map { .chats($0.model) }
        case .calls: .calls(calls.currentScreen)
        case .account: account.map { .account($0.model) }
        case .settings: .settings(settings.model)
        }
    }

    private func opened(_ destination: Destination) {
        switch destination {
        case .home: live?.opened()
        case .library: library?.opened()
        case .chats: chats?.opened()
        case .account: account?.opened()
        case .calls: break
        case .settings: settings.listDevices()
        }
    }

    private func show(_ next: Screen) {
        let before = screen.state
        screen.update { $0 = next }
        if next.destination == .calls { missedCalls.update { $0 = 0 } }
        guard next.destination != before.destination else { return }
        if before.destination == .chats { chats?.left() }
        if before.destination == .account { account?.model.leave() }
        if before.destination == .settings { settings.model.send(.commit) }
        // The flow of calls has already reported the screen of a call that begins.
        if next.hasBar { calls.report(.screen(next.name)) }
    }
}
