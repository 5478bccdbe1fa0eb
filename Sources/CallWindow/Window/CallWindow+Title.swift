internal import Basics
internal import CallCore
internal import CallFlow

extension CallWindow {
    /// Shows the peer and the state in the window title, and requests the user's attention while a call
    /// rings.
    func showTitle(of screen: CallsScreen) {
        guard isOpen else { return }
        let title = title(of: screen)
        guard title != shownTitle else { return }
        if title.text != shownTitle.text { window.setTitle(Self.printable(title.text)) }
        if title.isRinging != shownTitle.isRinging { window.flash(title.isRinging) }
        shownTitle = title
    }

    private func title(of screen: CallsScreen) -> WindowTitle {
        switch screen {
        case .login: WindowTitle()
        case .room(let room): title(of: room.store.state)
        case .call(let call): title(of: call.store.state)
        }
    }

    private func title(of state: RoomState) -> WindowTitle {
        let strings = screenHost.ui.strings
        if let ring = state.ring { return title(ofCaller: ring.peer) }
        switch state.connection {
        case .disconnected, .connecting:
            let isConnecting = state.connection == .connecting
            let word = strings[isConnecting ? "room.state.connecting" : "room.state.disconnected"]
            return WindowTitle(parts: [strings("common.room", ["room": "\(state.identity.room)"]), word])
        case .connected:
            let (title, note) = PeerLine(state).texts(strings)
            return WindowTitle(parts: [title, note ?? ""])
        }
    }

    private func title(of state: CallViewModel.State) -> WindowTitle {
        if let summary = state.summary {
            return WindowTitle(parts: [screenHost.ui.strings.sentence(of: summary)])
        }
        if state.isIncoming, state.call == .ringing { return title(ofCaller: state.peer) }
        return WindowTitle(parts: [state.peer ?? "", screenHost.ui.strings.sentence(of: state.call)])
    }

    private func title(ofCaller name: String?) -> WindowTitle {
        let strings = screenHost.ui.strings
        let words = "\(name ?? strings["common.peer"]) \(strings["room.ring"])"
        return WindowTitle(parts: [words], isRinging: true)
    }
}
