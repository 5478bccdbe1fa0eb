internal import AppFlow
internal import Basics
internal import CallCore

/// A consumer of the screens, which updates the terminal's live line and the window.
struct ScreenFollower {
    let console: Console
    let window: WindowController?

    /// Shows the calls on the terminal and in the window; with `shell`, the window shows the whole app.
    func follow(_ flow: CallsFlow, _ shell: AppShell? = nil) async {
        let closing = Task { [window, console] in
            guard let window else { return }
            await window.follow(closeRequestsFor: flow) { console.say($0, .failure) }
        }
        let drawing: Task<Void, Never> = Task { [window] in await window?.draw(flow, shell) }
        await flow.screens.forLatest { await read($0) }
        // In the app, drawing continues until everything is saved.
        if shell == nil { drawing.cancel() }
        await drawing.value
        closing.cancel()
        await closing.value
    }

    private func read(_ screen: CallsScreen) async {
        switch screen {
        case .login:
            await window?.clear()
            console.show("")
        case .room(let room):
            await window?.clear()
            for await state in room.store.states {
                console.show(state.sentence + (state.peer == nil ? " …" : ""))
            }
        case .call(let call):
            for await state in call.store.states where state.call != .idle {
                if case .ended = state.call {
                    console.show("")
                    continue
                }
                console.show(Self.line(state))
            }
        }
    }

    private static func line(_ state: CallViewModel.State) -> LiveText {
        guard state.call == .connected, let statistics = state.statistics else {
            return LiveText(state.sentence)
        }
        let path = state.path.map { [LiveText.Piece($0, 2)] } ?? []
        return LiveText([[LiveText.Piece("connected")] + path] + StatusText(statistics: statistics).groups)
    }
}
