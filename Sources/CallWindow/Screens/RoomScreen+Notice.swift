internal import CallCore
internal import CallFlow

extension RoomScreen {
    /// A notice of the latest event or of an obstacle.
    struct Notice: Hashable, Sendable {
        /// An action of one click that resolves the obstacle.
        enum Action: Hashable, Sendable {
            case connect, switchRole
        }

        var text: String
        var tone: Interface.Tone
        var action: Action?
    }

    func notice(_ ui: Interface, _ state: RoomState) -> Notice? {
        if let asked = asksUntil, ui.motion.time < asked {
            return Notice(text: ui.strings["room.escape"], tone: .warning)
        }
        if case .disconnected(let loss?) = state.connection { return notice(ui, loss) }
        if state.connection == .connecting, let loss = state.earlierLoss {
            return Notice(text: ui.strings.sentence(of: loss), tone: .error)
        }
        if let rival = state.rival, state.peer == nil {
            let key = state.role == .caller ? "room.rival.caller" : "room.rival.callee"
            let text = ui.strings(key, ["name": rival.username])
            return Notice(text: text, tone: .warning, action: state.isManaged ? .switchRole : nil)
        }
        guard let reason = state.returnReason else {
            let isAlone = state.isConnected && state.isLocal && state.peer == nil
            return isAlone ? Notice(text: ui.strings["room.local"], tone: .info) : nil
        }
        let text = ui.strings.sentence(of: reason)
        return switch reason {
        case .callEnded(let summary): Notice(text: text, tone: summary.isMishap ? .warning : .info)
        case .callMissed: Notice(text: text, tone: .warning)
        case .peerLeft: Notice(text: text, tone: .info)
        }
    }

    private func notice(_ ui: Interface, _ loss: RoomLoss) -> Notice {
        if case .failed(let diagnosis) = loss.reason, diagnosis.code == "role-taken" {
            return Notice(text: ui.strings.sentence(of: loss), tone: .error, action: .switchRole)
        }
        var text = ui.strings.sentence(of: loss)
        if let seconds = loss.retryIn {
            text += ". " + ui.strings("room.retry.in", ["seconds": "\(seconds)"])
        }
        return Notice(text: text, tone: .error, action: .connect)
    }

    func drawNotice(_ ui: Interface, _ notice: Notice, _ box: Box) {
        let isCaller = model.store.state.role == .caller
        let title = notice.action.map { action in
            switch action {
            case .connect: ui.strings["room.retry"]
            case .switchRole: ui.strings[isCaller ? "room.switch.callee" : "room.switch.caller"]
            }
        }
        guard ui.banner("room.notice", notice.text, notice.tone, in: box, action: title) else { return }
        switch notice.action {
        case .connect: model.send(.connect)
        case .switchRole: model.send(.switchRole)
        case nil: break
        }
    }
}
