internal import AppFlow
internal import Basics
internal import CallCore
internal import WindowKit

/// The latest notice above the buttons, such as a saved file, the volume, or the hint that a second Esc ends
/// the call.
@WindowActor final class CallNotices {
    /// The time for which a notice is shown, in seconds.
    private static let duration = 5.0
    /// The maximum number of lines of a notice, which narrow windows and large text need.
    private static let lines = 3

    /// The sequence number of the latest notice, and the time until which it is shown, in seconds.
    private var notice: (number: Int, until: Double)?
    /// The text shown last.
    private var text: String?
    /// The time until which a second Esc ends the call; nil before a first Esc.
    private(set) var asksUntil: Double?

    /// Stores the latest notice.
    ///
    /// - Returns: The time at which the shown text changes or disappears; nil if none is shown.
    func update(_ latest: SavedNotice?, _ now: Double) -> Double? {
        if latest?.number != notice?.number { notice = latest.map { ($0.number, now + Self.duration) } }
        return [asksUntil, notice?.until].compactMap(\.self).filter { now < $0 }.min()
    }

    /// Handles Esc; returns true if it is the second press within `CallScreen.questionTime`.
    func confirmEnd(at now: Double) -> Bool {
        if let asked = asksUntil, now < asked {
            asksUntil = nil
            return true
        }
        asksUntil = now + CallScreen.questionTime
        return false
    }

    /// Computes the rectangle above the buttons that is reserved for notices.
    static func place(in ui: Interface) -> Box {
        Box(
            center: Point(ui.area.center.x, CallBar.place(in: ui).y - Space.small - 16),
            width: min(520, ui.area.width - 2 * Space.large),
            height: 32
        )
    }

    func isShown(_ ui: Interface) -> Bool {
        asks(ui) || notice.map { ui.motion.time < $0.until } ?? false
    }

    private func asks(_ ui: Interface) -> Bool { asksUntil.map { ui.motion.time < $0 } ?? false }

    func draw(_ ui: Interface, _ state: CallViewModel.State) {
        if isShown(ui) {
            let latest = state.notice.map { ui.strings.sentence(of: $0, peer: state.peer) }
            text = asks(ui) ? ui.strings["call.escape"] : latest
        }
        let share = ui.motion.value("call", "notice", towards: isShown(ui) ? 1 : 0, from: 0)
        guard share > 0, let text else { return }
        let row = Self.place(in: ui)
        let width = min(ui.painter.width(of: text, .caption), row.width - 2 * Space.large)
        let height = ui.painter.height(of: text, .caption, width: width, limit: Self.lines)
        // The notice grows upward, away from the buttons.
        let full = max(row.height, height + Space.small)
        let place = Box(
            x: row.center.x - width / 2 - Space.large,
            y: row.bottom - full,
            width: width + 2 * Space.large,
            height: full
        )
        let lines = Box(
            x: row.center.x - width / 2,
            y: place.center.y - height / 2,
            width: width,
            height: height
        )
        ui.painter.opacity = share
        ui.painter.fill(place, radius: 16, .glass)
        ui.painter.paragraph(text, in: lines, .caption, ui.theme.text, .center, limit: Self.lines)
        ui.painter.opacity = 1
    }
}

extension Strings {
    /// Returns the name of a file, because its path would be too long; all recordings are in the same folder.
    private static func name(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    fileprivate func sentence(of notice: SavedNotice, peer: String?) -> String {
        switch notice.content {
        case .recording(let path): self("notice.recording", ["path": Self.name(of: path)])
        case .recorded(let path): self("notice.recorded", ["path": Self.name(of: path)])
        case .picture(let path): self("notice.snapshot", ["path": Self.name(of: path)])
        case .volume(let percent): self("notice.volume", ["percent": "\(percent)"])
        case .missing(let devices):
            self("notice.missing", ["name": devices.map(\.name).joined(separator: ", ")])
        case .unaware: self("notice.unaware", ["name": name(ofPeer: peer)])
        case .refused(let refusal):
            has("refusal.\(refusal.code)") ? self["refusal.\(refusal.code)"] : refusal.message
        }
    }
}
