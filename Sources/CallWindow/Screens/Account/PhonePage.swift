internal import AccountsCore
internal import AppFlow
internal import PhoneKit
internal import WindowKit

/// The page for entering a phone number: its country, and its digits in the format of that country.
@WindowActor final class PhonePage {
    static let field: ControlID = "account.phone"
    private static let flag = (width: 24.0, height: 18.0)

    private let model: AccountViewModel
    private let environment: [String: String]
    private let countries = CountrySheet()
    /// The number being typed; nil until the page is drawn, because loading the numbering plans takes time and memory.
    private var entry: PhoneEntry?
    /// Whether the whole number is selected.
    private var isSelected = false
    /// The number that was last sent to the view model.
    private var told: String?

    init(model: AccountViewModel, environment: [String: String]) {
        (self.model, self.environment) = (model, environment)
    }

    func draw(_ ui: Interface, _ page: AccountPage, _ form: PhoneForm) {
        guard var entry = entry(form) else { return }
        let head = ui.formHeadHeight
        let field = Interface.fieldHeight + Interface.errorHeight
        let expired = form.isExpired ? ui.strings["account.registration.expired"] : nil
        let notice = form.failure.map { ui.strings.sentence(of: $0) } ?? expired
        let inside = min(ui.columnWidth(400), 400) - 2 * Space.huge
        let lines = notice.map { ui.painter.height(of: $0, .caption, width: inside) + Space.small } ?? 0
        let panel = Space.huge + field + lines + Space.small + 48 + Space.huge
        ui.page("account.phone.page", width: 400, height: head + panel) { content in
            var rest = content
            ui.formHead(.person, "account.sign-in", note: "account.sign-in.note", in: rest.takeTop(head))
            let card = rest.takeTop(panel)
            ui.card(card)
            var inside = card.inset(x: Space.huge, y: Space.huge)
            drawField(ui, page, &entry, inside.takeTop(field, gap: 0))
            if let notice {
                let place = inside.takeTop(lines)
                ui.painter.paragraph(notice, in: place, .caption, ui.theme.dangerInk)
            }
            _ = inside.takeTop(Space.small)
            let isAgain = form.failure?.reason == .noAccounts
            let title = ui.strings[isAgain ? "account.retry" : "account.continue"]
            let isPressed = page.drawAction(
                ui,
                "account.send-code",
                title,
                in: inside.takeTop(48),
                isEnabled: entry.isPossible
            )
            if ui.submits(Self.field) || isPressed { model.send(.sendCode) }
        }
        self.entry = entry
    }

    /// Draws the list of countries above the page.
    func drawSheet(_ ui: Interface, isPage: Bool) {
        guard isPage else { return countries.close() }
        guard let country = countries.draw(ui), var entry else { return }
        entry.select(country)
        self.entry = entry
        tell(entry)
        ui.focus.focus(Self.field)
    }

    private func entry(_ form: PhoneForm) -> PhoneEntry? {
        if told == form.number, let entry { return entry }
        // This is the first frame, or another page has changed the number.
        guard let country = entry?.country ?? Country.likely(environment) else { return nil }
        var new = PhoneEntry(country: country)
        if !form.number.isEmpty { new.insert(form.number) }
        told = form.number
        entry = new
        return new
    }

    private func tell(_ entry: PhoneEntry) {
        let number = entry.digits.isEmpty ? "" : entry.number
        told = number
        model.send(.setPhone(number, isPossible: entry.isPossible))
    }

    private func drawField(_ ui: Interface, _ page: AccountPage, _ entry: inout PhoneEntry, _ box: Box) {
        // While the user types another calling code, that of the country is hidden.
        let code = entry.codeDigits == nil ? "+\(entry.country.code)" : ""
        let codeWidth = code.isEmpty ? 0 : ui.painter.width(of: code, .body) + Space.tiny
        let button = Space.medium + Self.flag.width + Space.tiny + 18
        let before = entry
        let step = ui.entry(
            Self.field,
            ui.strings["account.phone"],
            entry.text,
            cursor: entry.textCursor,
            in: box,
            inset: button + codeWidth,
            hint: entry.country.example,
            isSelected: isSelected,
            error: entry.isTooLong ? ui.strings["account.phone.long"] : nil
        )
        if ui.activeField != Self.field { isSelected = false }
        var frame = box
        _ = frame.takeTop(22 + Space.tiny)
        frame = frame.takeTop(46)
        var inside = frame
        let place = inside.takeLeft(button)
        drawCountry(ui, entry.country, place)
        ui.painter.text(code, in: inside.takeLeft(codeWidth + 1), .body, ui.theme.text)
        guard let step, page.state.isIdle else { return }
        let replaced = isSelected && step.changesText ? PhoneEntry(country: entry.country) : nil
        if let replaced { entry = replaced }
        isSelected = step == .selectAll
        switch step {
        case .insert(let text): entry.insert(text)
        case .backspace: if replaced == nil { entry.delete() }
        case .delete: if replaced == nil { entry.delete(forward: true) }
        case .selectAll: break
        case .move(let count): entry.moveCursor(by: count)
        case .place(let place): entry.moveCursor(toTextPlace: place)
        }
        if entry.number != before.number || entry.country != before.country {
            self.entry = entry
            tell(entry)
        }
    }

    private func drawCountry(_ ui: Interface, _ country: Country, _ box: Box) {
        let id: ControlID = "account.country"
        let control = ui.control(id, box)
        var inside = box
        _ = inside.takeLeft(Space.medium)
        let flag = inside.takeLeft(Self.flag.width, gap: Space.tiny)
        ui.flag(country.region, in: Box(center: flag.center, width: flag.width, height: Self.flag.height))
        ui.painter.glyph(.chevron, center: inside.center, size: 16, ui.theme.faint)
        let name = countries.name(of: country, ui)
        ui.tooltip(id, name, over: box, isShown: control.isHovered || control.isFocused)
        ui.focusRing(control, id, around: box.inset(by: 6), radius: Corner.small)
        if control.wasClicked { countries.open(ui) }
    }
}
