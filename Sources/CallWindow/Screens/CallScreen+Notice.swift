internal import CallCore
internal import CallFlow

extension CallScreen {
    /// How long a notice is shown, in seconds.
    private static let noticeTime = 5.0

    /// Takes note of what was said, and of when it need not be shown any more.
    func noteNotice(_ state: CallViewModel.State, _ now: Double) {
        guard let told = state.notice else { return notice = nil }
        if told.number != notice?.number { notice = (told.number, now + Self.noticeTime) }
        guard let until = notice?.until, now < until else { return }
        changesAt = min(changesAt ?? until, until)
    }

    /// What was kept of the call, and where, or how loud it is.
    func drawNotice(_ ui: Interface, _ state: CallViewModel.State) {
        guard let told = state.notice, let until = notice?.until else { return }
        let isShown = ui.motion.time < until
        let share = ui.motion.value("call", "notice", towards: isShown ? 1 : 0, from: 0)
        guard share > 0 else { return }
        let text = ui.strings.sentence(of: told)
        let width = min(
            ui.painter.width(of: text, .caption) + 2 * Space.large,
            ui.area.width - 2 * Space.large
        )
        let place = Box(
            center: Point(ui.area.center.x, Space.large + 36 + Space.small + 16),
            width: width,
            height: 32
        )
        ui.painter.opacity = share
        ui.painter.fill(place, radius: 16, Self.glass)
        let inside = place.inset(x: Space.large, y: 0)
        ui.painter.text(text, in: inside, .caption, ui.theme.text, .center)
        ui.painter.opacity = 1
    }
}

extension Strings {
    fileprivate func sentence(of notice: KeptNotice) -> String {
        switch notice.content {
        case .recording(let path): self("notice.recording", ["path": path])
        case .recorded(let path): self("notice.recorded", ["path": path])
        case .picture(let path): self("notice.picture", ["path": path])
        case .loudness(let percent): self("notice.loudness", ["percent": "\(percent)"])
        case .missing(let devices):
            self("notice.missing", ["name": devices.map(\.name).joined(separator: ", ")])
        case .refused(let refusal):
            has("refusal.\(refusal.code)") ? self["refusal.\(refusal.code)"] : refusal.message
        }
    }
}
