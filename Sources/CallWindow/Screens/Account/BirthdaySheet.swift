internal import AccountsCore
internal import AppFlow
internal import WindowKit

/// A sheet with a calendar, in which the user chooses a birthday.
@WindowActor final class BirthdaySheet {
    private static let cell = 40.0
    private static let rows = 6

    private var isOpen = false
    private var (year, month) = (2000, 1)

    /// Opens the sheet at the month of the typed birthday, or else 25 years ago.
    func open(_ form: ProfileForm, today: CalendarDay) {
        isOpen = true
        (year, month) = form.day.map { ($0.year, $0.month) } ?? (today.year - 25, today.month)
        year = min(max(1900, year), today.year)
    }

    func close() { isOpen = false }

    func draw(_ ui: Interface, _ model: AccountViewModel, _ form: ProfileForm) {
        let head = 2 * Interface.buttonHeight + 2 * Space.small
        let isClosed = ui.sheet(
            "account.calendar",
            ui.strings["account.birthday"],
            isOpen: isOpen,
            width: 7 * Self.cell + 2 * Space.huge,
            contentHeight: head + 22 + Double(Self.rows) * Self.cell
        ) { box in
            var rest = box
            let today = model.day
            drawTurn(ui, "year", "\(year)", rest.takeTop(Interface.buttonHeight, gap: Space.small)) { step in
                year = min(max(1900, year + step), today.year)
            }
            let name = ui.strings["date.month.\(month)"]
            drawTurn(ui, "month", name, rest.takeTop(Interface.buttonHeight, gap: Space.small)) {
                turn($0, today)
            }
            drawWeekdays(ui, rest.takeTop(22))
            drawDays(ui, rest, model, form, today)
        }
        if isClosed { isOpen = false }
    }

    private func turn(_ step: Int, _ today: CalendarDay) {
        let count = year * 12 + month - 1 + step
        let (newYear, newMonth) = (count / 12, count % 12 + 1)
        guard (1900...today.year).contains(newYear) else { return }
        (year, month) = (newYear, newMonth)
    }

    private func drawTurn(
        _ ui: Interface,
        _ part: String,
        _ text: String,
        _ box: Box,
        _ change: (Int) -> Void
    ) {
        var rest = box
        let back = rest.takeLeft(44).center
        let on = rest.takeRight(44).center
        let id = "account.calendar.\(part)"
        let names = (ui.strings["account.calendar.back"], ui.strings["account.calendar.on"])
        if ui.iconButton(ControlID("\(id).back"), .back, names.0, center: back) { change(-1) }
        if ui.iconButton(ControlID("\(id).on"), .forward, names.1, center: on) { change(1) }
        ui.painter.text(text, in: rest, .strong, ui.theme.text, .center)
    }

    private func drawWeekdays(_ ui: Interface, _ box: Box) {
        for (index, cell) in box.columns(7, gap: 0).enumerated() {
            let name = ui.strings["date.weekday.\(index + 1)"]
            ui.painter.text(name, in: cell, .captionStrong, ui.theme.faint, .center)
        }
    }

    private func drawDays(
        _ ui: Interface,
        _ box: Box,
        _ model: AccountViewModel,
        _ form: ProfileForm,
        _ today: CalendarDay
    ) {
        guard let first = CalendarDay(year: year, month: month, day: 1) else { return }
        let chosen = form.day
        for number in 1...CalendarDay.length(ofMonth: month, year: year) {
            guard let day = CalendarDay(year: year, month: month, day: number) else { continue }
            let place = first.weekday + number - 1
            let cell = Box(
                x: box.x + Double(place % 7) * box.width / 7,
                y: box.y + Double(place / 7) * Self.cell,
                width: box.width / 7,
                height: Self.cell
            )
            let isPressed = draw(
                ui,
                number,
                cell.inset(by: 2),
                isChosen: day == chosen,
                isEnabled: day <= today
            )
            guard isPressed else { continue }
            model.send(.set(day.description, of: .birthday))
            isOpen = false
        }
    }

    /// Draws a day, which is narrower than a standard button; returns true when the user presses it.
    private func draw(_ ui: Interface, _ number: Int, _ box: Box, isChosen: Bool, isEnabled: Bool) -> Bool {
        let id = ControlID("account.calendar.day.\(number)")
        let control = ui.control(id, box, isEnabled: isEnabled)
        if isChosen {
            ui.painter.fill(box, radius: Corner.small, ui.theme.brand)
        } else if control.isHovered {
            ui.painter.fill(box, radius: Corner.small, ui.theme.field)
        }
        let ink = isChosen ? Color.white : isEnabled ? ui.theme.text : ui.theme.faint
        ui.painter.text("\(number)", in: box, .body, ink, .center)
        ui.focusRing(control, id, around: box.inset(by: 4), radius: Corner.small)
        return control.wasClicked
    }
}
