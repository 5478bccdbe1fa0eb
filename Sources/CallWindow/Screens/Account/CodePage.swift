internal import AccountsCore
internal import AppFlow
internal import PhoneKit
internal import WindowKit

/// The page for the code that was sent to a phone.
@WindowActor struct CodePage {
    static let field: ControlID = "account.code"

    let page: AccountPage
    let form: CodeForm

    func draw(_ ui: Interface) {
        // A test server sends no codes.
        let key = page.state.testCode == nil ? "account.code.note" : "account.code.note.test"
        let note = ui.strings(key, ["phone": formattedPhone(form.phone)])
        let hint = page.state.testCode.map { ui.strings("account.code.test", ["code": $0]) }
        let width = ui.columnWidth(400)
        func lines(_ text: String) -> Double { ui.painter.height(of: text, .body, width: width) }
        let head = 44 + Space.medium + 36 + Space.small + lines(note) + Space.huge
        let problem = form.failure.map { ui.strings.sentence(ofCode: $0) } ?? ""
        let inside = problem.isEmpty ? 22 : ui.painter.height(of: problem, .caption, width: width)
        let tip = hint.map { ui.bannerHeight($0, width: width, hasAction: false) + Space.large } ?? 0
        let height = head + 58 + Space.small + inside + Space.large + tip + Interface.buttonHeight
        ui.page("account.code.page", width: 400, height: height) { content in
            var rest = content
            page.drawBack(ui, in: rest.takeTop(44, gap: Space.medium))
            let title = rest.takeTop(36, gap: Space.small)
            ui.painter.text(ui.strings["account.code"], in: title, .display, ui.theme.text)
            ui.painter.paragraph(note, in: rest.takeTop(lines(note), gap: Space.huge), .body, ui.theme.faint)
            drawCells(ui, rest.takeTop(58, gap: Space.small))
            let line = rest.takeTop(inside, gap: Space.large)
            if page.isWaiting {
                ui.spinner(Point(line.x + 10, line.y + 11), diameter: 18, ui.theme.link)
            } else {
                ui.painter.paragraph(problem, in: line, .caption, ui.theme.dangerInk)
            }
            if let hint {
                ui.banner(
                    "account.code.test",
                    hint,
                    .info,
                    in: rest.takeTop(tip - Space.large, gap: Space.large)
                )
            }
            drawResend(ui, rest.takeTop(Interface.buttonHeight))
        }
    }

    private func drawCells(_ ui: Interface, _ box: Box) {
        let cells = Box(x: box.x, y: box.y, width: min(box.width, 372), height: box.height)
        let step = ui.cells(
            Self.field,
            form.digits,
            count: AccountRules.codeLength,
            in: cells,
            isRefused: form.failure != nil,
            isEnabled: true
        )
        if let text = step?.entering(into: form.digits) { page.model.send(.setCode(text)) }
        if ui.submits(Self.field) { page.model.send(.submitCode) }
    }

    private func drawResend(_ ui: Interface, _ box: Box) {
        let isReady = form.resendIn == 0
        let title =
            isReady
            ? ui.strings["account.code.again"]
            : ui.strings("account.code.again.in", ["seconds": "\(form.resendIn)"])
        var place = box
        place.width = min(box.width, ui.buttonWidth(title))
        let isPressed = ui.button(
            "account.code.again",
            title,
            .secondary,
            in: place,
            isEnabled: isReady && page.state.isIdle
        )
        if isPressed { page.model.send(.sendCodeAgain) }
    }
}

extension EntryStep {
    /// Returns the digits after an editing step with the cursor at the end; nil if they do not change.
    func entering(into digits: String) -> String? {
        switch self {
        case .insert(let text):
            // A pasted code replaces what was typed before.
            let entered = text.filter(\.isNumber)
            return entered.count > 1 ? entered : digits + entered
        case .backspace: return String(digits.dropLast())
        case .delete, .move, .place, .selectAll: return nil
        }
    }
}
