internal import CallCore
internal import CallFlow

extension CallScreen {
    /// The time for which a notice is shown, in seconds.
    private static let noticeTime = 5.0
    /// The time in which a second Esc counts, in seconds.
    static let questionTime = 4.0

    /// Stores the latest notice, and when it disappears.
    func noteNotice(_ state: CallViewModel.State, _ now: Double) {
        if let asked = asksUntil, now < asked { changesAt = min(changesAt ?? asked, asked) }
        guard let told = state.notice else { return notice = nil }
        if told.number != notice?.number { notice = (told.number, now + Self.noticeTime) }
        guard let until = notice?.until, now < until else { return }
        changesAt = min(changesAt ?? until, until)
    }

    /// Computes the place of notices above the buttons, which contains nothing else.
    func noticeRow(_ ui: Interface) -> Box {
        Box(
            center: Point(ui.area.center.x, bar(in: ui).y - Space.small - 16),
            width: min(520, ui.area.width - 2 * Space.large),
            height: 32
        )
    }

    /// Draws the latest notice, such as a saved file or the volume, or the effect of a second Esc.
    func drawNotice(_ ui: Interface, _ state: CallViewModel.State) {
        let told = state.notice.map { ui.strings.sentence(of: $0, peer: state.peer) }
        draw(asks(ui) ? ui.strings["call.escape"] : told, isShown: isNoticeShown(ui), ui)
    }

    func isNoticeShown(_ ui: Interface) -> Bool {
        asks(ui) || notice.map { ui.motion.time < $0.until } ?? false
    }

    private func asks(_ ui: Interface) -> Bool { asksUntil.map { ui.motion.time < $0 } ?? false }

    private func draw(_ sentence: String?, isShown: Bool, _ ui: Interface) {
        if isShown { said = sentence }
        let share = ui.motion.value("call", "notice", towards: isShown ? 1 : 0, from: 0)
        guard share > 0, let said else { return }
        let row = noticeRow(ui)
        let width = min(ui.painter.width(of: said, .caption) + 2 * Space.large, row.width)
        let place = Box(center: row.center, width: width, height: row.height)
        ui.painter.opacity = share
        ui.painter.fill(place, radius: 16, Self.glass)
        ui.painter.text(said, in: place.inset(x: Space.large, y: 0), .caption, ui.theme.text, .center)
        ui.painter.opacity = 1
    }
}

extension Strings {
    fileprivate func sentence(of notice: SavedNotice, peer: String?) -> String {
        switch notice.content {
        case .recording(let path): self("notice.recording", ["path": path])
        case .recorded(let path): self("notice.recorded", ["path": path])
        case .picture(let path): self("notice.snapshot", ["path": path])
        case .volume(let percent): self("notice.volume", ["percent": "\(percent)"])
        case .missing(let devices):
            self("notice.missing", ["name": devices.map(\.name).joined(separator: ", ")])
        case .unaware: self("notice.unaware", ["name": peer ?? self["common.peer"]])
        case .refused(let refusal):
            has("refusal.\(refusal.code)") ? self["refusal.\(refusal.code)"] : refusal.message
        }
    }
}
