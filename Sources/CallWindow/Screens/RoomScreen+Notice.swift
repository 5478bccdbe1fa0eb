internal import CallCore
internal import CallFlow

extension RoomScreen {
    /// What happened last, or what stands in the way.
    struct Notice: Hashable, Sendable {
        var text: String
        var tone: Interface.Tone
        var action: String?
    }

    func notice(_ ui: Interface, _ state: RoomState) -> Notice? {
        if case .disconnected(let loss?) = state.connection {
            var text = ui.strings.sentence(of: loss)
            if let seconds = loss.retryIn {
                text += ". " + ui.strings("room.retry.in", ["seconds": "\(seconds)"])
            }
            return Notice(text: text, tone: .error, action: ui.strings["room.retry"])
        }
        if let rival = state.rival, state.peer == nil {
            let key = state.role == .caller ? "room.rival.caller" : "room.rival.callee"
            return Notice(text: ui.strings(key, ["name": rival.username]), tone: .warning)
        }
        guard let news = state.news else {
            let isAlone = state.isConnected && state.isLocal && state.peer == nil
            return isAlone ? Notice(text: ui.strings["room.local"], tone: .info) : nil
        }
        if case .callEnded(let summary) = news, summary.isMishap {
            return Notice(text: ui.strings.sentence(of: news), tone: .warning)
        }
        return Notice(text: ui.strings.sentence(of: news), tone: .info)
    }

    func drawNotice(_ ui: Interface, _ notice: Notice, _ box: Box) {
        if ui.banner("room.notice", notice.text, notice.tone, in: box, action: notice.action) {
            model.send(.connect)
        }
    }
}
