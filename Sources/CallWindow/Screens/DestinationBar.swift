internal import AppFlow
internal import Basics
internal import WindowKit

/// The bar at the bottom of the window, in which the user selects a destination of the app.
@WindowActor struct DestinationBar {
    let shell: AppShell
    let selected: Destination

    private static let width = 120.0
    private static let pill = (width: 56.0, height: 28.0)

    func height(_ ui: Interface) -> Double { hasNames(ui) ? 60 : 40 }

    /// Whether the window has enough space for the names of all destinations below the icons.
    private func hasNames(_ ui: Interface) -> Bool {
        ui.area.height >= 420 && widths(ui).reduce(0, +) <= ui.area.width
    }

    /// Computes the minimum widths of the destinations with their names.
    private func widths(_ ui: Interface) -> [Double] {
        shell.destinations.map { destination in
            max(
                Self.pill.width,
                ui.painter.width(of: name(of: destination, ui), .captionStrong) + Space.small
            )
        }
    }

    /// Computes the rectangles of the destinations.
    ///
    /// They have equal widths, unless a name needs more; then each has its minimum width and an equal share of the
    /// rest.
    private func places(_ ui: Interface, in row: Box) -> [Box] {
        let widths = widths(ui)
        let equal = row.width / Double(max(1, widths.count))
        guard hasNames(ui), widths.contains(where: { $0 > equal }) else {
            return row.columns(widths.count, gap: 0)
        }
        let spare = (row.width - widths.reduce(0, +)) / Double(max(1, widths.count))
        var rest = row
        return widths.map { rest.takeLeft($0 + spare) }
    }

    private func name(of destination: Destination, _ ui: Interface) -> String {
        ui.strings["bar.\(destination.rawValue)"]
    }

    /// Returns the number of unread conversations or missed calls to show at a destination.
    private func count(of destination: Destination) -> Int {
        switch destination {
        case .chats: shell.chats?.model.store.state.unread ?? 0
        case .calls: shell.missedCalls.state
        case .home, .library, .account, .settings: 0
        }
    }

    /// Returns the control of the destination that has the visible keyboard focus, if any.
    func focused(_ ui: Interface) -> ControlID? {
        ui.focus.isVisible ? Destination.allCases.map(\.control).first { $0 == ui.focus.focused } : nil
    }

    func draw(_ ui: Interface) {
        let height = height(ui)
        let box = Box(x: 0, y: ui.area.height - height, width: ui.area.width, height: height)
        ui.painter.fill(box, radius: 0, ui.theme.surface)
        ui.divider(Box(x: 0, y: box.y, width: box.width, height: 1))
        let all = shell.destinations
        let row = Box(
            center: box.center,
            width: min(box.width, Double(all.count) * Self.width),
            height: height
        )
        for (destination, place) in zip(all, places(ui, in: row)) { draw(destination, ui, place) }
    }

    private func draw(_ destination: Destination, _ ui: Interface, _ box: Box) {
        let id = destination.control
        let name = name(of: destination, ui)
        let control = ui.control(id, box)
        let chosen = ui.motion.value(id, "chosen", towards: destination == selected ? 1 : 0)
        let hover = ui.motion.value(id, "hover", towards: control.isHovered ? 1 : 0)
        let ink = ui.theme.faint.mixed(with: ui.theme.link, share: chosen)
        let center = Point(box.center.x, box.y + 6 + Self.pill.height / 2)
        let pill = Box(center: center, width: min(Self.pill.width, box.width), height: Self.pill.height)
        ui.painter.fill(
            pill,
            radius: Self.pill.height / 2,
            ui.theme.surface.mixed(with: ui.theme.link, share: 0.14 * chosen)
                .mixed(with: ui.theme.highlight, share: 0.08 * hover)
        )
        ui.painter.glyph(destination.glyph, center: center, size: 22, ink)
        let count = count(of: destination)
        if count > 0 {
            let corner = Box(x: center.x + 2, y: pill.y - 4, width: 30, height: 22)
            ui.unreadBadge(count, in: corner)
        }
        if hasNames(ui) {
            let line = Box(x: box.x, y: pill.bottom + 2, width: box.width, height: 18)
            ui.painter.text(name, in: line, .captionStrong, ink, .center)
        } else {
            // The name of the page that is shown is its title.
            let isPointedAt = control.isHovered || control.isFocused
            ui.tooltip(id, name, over: pill, isShown: isPointedAt && destination != selected)
        }
        ui.focusRing(control, id, around: pill.inset(by: 4), radius: Self.pill.height / 2 - 4)
        if control.wasClicked { shell.show(destination) }
    }
}

extension Destination {
    fileprivate var control: ControlID { ControlID("bar.\(rawValue)") }

    fileprivate var glyph: Glyph {
        switch self {
        case .home: .home
        case .library: .library
        case .chats: .chat
        case .calls: .answer
        case .account: .person
        case .settings: .settings
        }
    }
}
