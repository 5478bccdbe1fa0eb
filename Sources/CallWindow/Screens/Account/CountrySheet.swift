internal import AppFlow
internal import PhoneKit
internal import WindowKit

/// The sheet with the list of countries, which can be searched by name and calling code.
@WindowActor final class CountrySheet {
    private static let search: ControlID = "account.country.search"
    private static let row = 44.0
    /// The preferred height of the list in points.
    private static let height = 420.0

    private var isOpen = false
    private var text = ""
    /// The list of all countries, and the language of their names; nil before its first use.
    private var all: (language: String, list: CountryList)?
    private var found: [CountryList.Entry] = []

    func open(_ ui: Interface) {
        (isOpen, text) = (true, "")
        found = list(ui).entries
        ui.focus.focus(Self.search)
    }

    func close() { isOpen = false }

    func name(of country: Country, _ ui: Interface) -> String {
        list(ui).entries.first { $0.country == country }?.name ?? country.region
    }

    private func list(_ ui: Interface) -> CountryList {
        if let all, all.language == ui.strings.language { return all.list }
        let list = CountryList(language: ui.strings.language)
        all = (ui.strings.language, list)
        return list
    }

    /// Draws the sheet if it is open; returns the country that the user chooses.
    func draw(_ ui: Interface) -> Country? {
        var chosen: Country?
        let head = Interface.fieldHeight + Space.medium
        let room = max(Self.row * 2, ui.area.height - 64 - 3 * Space.huge - head)
        let height = min(Self.height, room)
        let isClosed = ui.sheet(
            "account.countries",
            ui.strings["account.country"],
            isOpen: isOpen,
            contentHeight: head + height
        ) { box in
            var rest = box
            drawSearch(ui, rest.takeTop(head))
            guard !found.isEmpty else {
                let line = rest.takeTop(Self.row)
                return ui.painter.text(ui.strings["account.country.none"], in: line, .body, ui.theme.faint)
            }
            ui.list(
                "account.country.list",
                in: rest.takeTop(height),
                count: found.count,
                estimate: Self.row,
                height: { _ in Self.row },
                row: { if draw(ui, found[$0], $1) { chosen = found[$0].country } }
            )
            if ui.submits(Self.search), let first = found.first { chosen = first.country }
        }
        if isClosed || chosen != nil { isOpen = false }
        return chosen
    }

    private func drawSearch(_ ui: Interface, _ box: Box) {
        let typed = ui.textField(
            Self.search,
            ui.strings["account.country.search"],
            text,
            in: box,
            hint: ui.strings["account.country.hint"],
            limit: 100
        )
        guard let typed else { return }
        text = typed
        found = list(ui).matching(typed)
        ui.forgetList("account.country.list")
    }

    private func draw(_ ui: Interface, _ entry: CountryList.Entry, _ box: Box) -> Bool {
        let id = ControlID("account.country \(entry.country.region)")
        let control = ui.control(id, box)
        if control.isHovered || control.isFocused {
            ui.painter.fill(box.inset(x: 0, y: 2), radius: Corner.small, ui.theme.field)
        }
        var rest = box.inset(x: Space.small, y: 0)
        let flag = rest.takeLeft(24, gap: Space.medium)
        ui.flag(entry.country.region, in: Box(center: flag.center, width: 24, height: 18))
        let code = "+\(entry.country.code)"
        let width = ui.painter.width(of: code, .body) + 1
        let side = rest.takeRight(width + Space.small, gap: Space.small)
        ui.painter.text(code, in: side, .body, ui.theme.faint)
        ui.painter.text(entry.name, in: rest, .body, ui.theme.text)
        ui.focusRing(control, id, around: box.inset(x: 4, y: 6), radius: Corner.small)
        return control.wasClicked
    }
}
