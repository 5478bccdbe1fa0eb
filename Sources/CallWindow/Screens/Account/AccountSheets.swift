internal import AccountsCore
internal import AppFlow
internal import Basics
internal import PhoneKit
internal import WindowKit

/// The sheets of the account: for leaving the editing, signing out, ending a sign-in, deleting the account, and the
/// camera.
@WindowActor struct AccountSheets {
    private static let code: ControlID = "account.delete.code"

    let model: AccountViewModel
    /// Whether the current request has lasted long enough to be shown as busy.
    let isWaiting: Bool

    func draw(_ ui: Interface) {
        let state = model.store.state
        drawQuestion(ui, state, "leave", isOpen: state.dialog == .leaveEditing, note: nil)
        let loss = state.isUnsent ? " \(ui.strings["account.sign-out.unsent"])" : ""
        drawQuestion(ui, state, "sign-out", isOpen: state.dialog == .signOut, note: nil, more: loss)
        var device: String?
        if case .end(let signIn)? = state.dialog { device = signIn.device }
        drawQuestion(ui, state, "end", isOpen: device != nil, note: device)
        drawQuestion(ui, state, "delete", isOpen: state.dialog == .delete(nil), note: nil)
        drawCode(ui, state)
        drawCamera(ui, state)
    }

    /// Draws the video of the camera, and the button that takes the picture.
    private func drawCamera(_ ui: Interface, _ state: AccountViewModel.State) {
        let isOpen = state.dialog == .camera
        let room = min(340, ui.area.width - 2 * (Space.medium + Space.huge))
        let below = Space.large + Interface.buttonHeight
        // The head of the sheet and its margins take the rest of the height.
        let side = max(80, min(room, ui.area.height - 2 * Space.medium - 64 - Space.huge - below))
        let isClosed = ui.sheet(
            "account.camera.sheet",
            ui.strings["account.camera.title"],
            isOpen: isOpen,
            contentHeight: side + below
        ) { box in
            var rest = box
            let place = rest.takeTop(side, gap: Space.large)
            let square = Box(center: place.center, width: side, height: side)
            if let camera = state.camera {
                ui.painter.picture(camera.frame, changingIn: "account.camera.picture", filling: square)
            } else {
                ui.painter.fill(square, ui.theme.field)
                ui.spinner(square.center, diameter: 24, ui.theme.link)
            }
            let isPressed = ui.button(
                "account.camera.take",
                ui.strings["account.camera.take"],
                .primary,
                in: rest.takeTop(Interface.buttonHeight),
                glyph: .snapshot,
                isEnabled: isOpen && state.camera != nil
            )
            if isPressed { model.send(.confirm) }
        }
        if isClosed { model.send(.cancel) }
    }

    private func drawQuestion(
        _ ui: Interface,
        _ state: AccountViewModel.State,
        _ name: String,
        isOpen: Bool,
        note: String?,
        more: String = ""
    ) {
        let question = Question(
            name: "account.\(name)",
            text: ui.strings("account.\(name).question", ["device": note ?? ""]) + more,
            failure: failure(ui, state, isOpen: isOpen),
            isEnabled: state.isIdle,
            isBusy: isWaiting && isOpen
        )
        switch question.draw(ui, isOpen: isOpen) {
        case .confirmed?: model.send(.confirm)
        case .cancelled?: model.send(.cancel)
        case nil: break
        }
    }

    private func failure(_ ui: Interface, _ state: AccountViewModel.State, isOpen: Bool) -> String {
        isOpen ? state.failure.map { ui.strings.sentence(of: $0) } ?? "" : ""
    }

    private func drawCode(_ ui: Interface, _ state: AccountViewModel.State) {
        var form: CodeForm?
        if case .delete(let entered?)? = state.dialog { form = entered }
        let text = ui.strings("account.delete.code.note", ["phone": formattedPhone(form?.phone ?? "")])
        let hint = state.testCode.map { ui.strings("account.code.test", ["code": $0]) } ?? ""
        let note = hint.isEmpty ? text : "\(text)\n\(hint)"
        let width = min(440, ui.area.width - 2 * Space.medium) - 2 * Space.huge
        let lines = ui.painter.height(of: note, .body, width: width)
        let isClosed = ui.sheet(
            "account.delete.code.sheet",
            ui.strings["account.delete.title"],
            isOpen: form != nil,
            contentHeight: lines + Space.large + 58 + Space.small + 36 + Space.small + Interface.buttonHeight
        ) { box in
            guard let form else { return }
            var rest = box
            ui.painter.paragraph(note, in: rest.takeTop(lines, gap: Space.large), .body, ui.theme.text)
            drawCells(ui, state, form, rest.takeTop(58, gap: Space.small))
            let problem = form.failure.map { ui.strings.sentence(ofCode: $0) } ?? ""
            let line = rest.takeTop(36, gap: Space.small)
            ui.painter.paragraph(problem, in: line, .caption, ui.theme.dangerInk, limit: 2)
            let isPressed = ui.button(
                "account.delete.final",
                ui.strings["account.delete.final"],
                .danger,
                in: rest.takeTop(Interface.buttonHeight),
                isEnabled: form.isComplete && state.isIdle,
                isBusy: isWaiting
            )
            if isPressed || form.isComplete && ui.submits(Self.code) { model.send(.confirm) }
        }
        if isClosed { model.send(.cancel) }
        if form != nil, form?.digits.isEmpty ?? false, ui.focus.focused == nil { ui.focus.focus(Self.code) }
    }

    private func drawCells(
        _ ui: Interface,
        _ state: AccountViewModel.State,
        _ form: CodeForm,
        _ box: Box
    ) {
        let step = ui.cells(
            Self.code,
            form.digits,
            count: AccountRules.codeLength,
            in: box,
            isRefused: form.failure != nil,
            isEnabled: state.isIdle
        )
        if let text = step?.entering(into: form.digits) { model.send(.setCode(text)) }
    }
}
