internal import AccountsCore
internal import AppFlow
internal import PhoneKit
internal import WindowKit

/// The page for a new user: the verified phone number, and fields for name and username.
@WindowActor struct RegistrationPage {
    static let name: ControlID = "account.name"
    private static let username: ControlID = "account.username"

    let page: AccountPage
    let form: RegistrationForm

    func draw(_ ui: Interface) {
        let width = ui.columnWidth(400)
        let heights = (
            ui.formFieldHeight(nameProblem(ui), width: width),
            ui.formFieldHeight(usernameProblem(ui), width: width)
        )
        let rule = ui.painter.height(of: ui.strings["account.username.rule"], .caption, width: width)
        let head = 44 + Space.medium + 36 + Space.small + 22 + Space.huge
        let height = head + heights.0 + heights.1 + Space.small + rule + Space.large + 48
        ui.page("account.registration", width: 400, height: height) { content in
            var rest = content
            page.drawBack(ui, in: rest.takeTop(44, gap: Space.medium))
            let title = rest.takeTop(36, gap: Space.small)
            ui.painter.text(ui.strings["account.registration"], in: title, .display, ui.theme.text)
            let phone = rest.takeTop(22, gap: Space.huge)
            ui.painter.text(formattedPhone(form.phone), in: phone, .body, ui.theme.faint)
            drawFields(ui, &rest, heights)
            let line = rest.takeTop(rule, gap: Space.large)
            let ink = form.hasIgnored ? ui.theme.warningInk : ui.theme.faint
            ui.painter.paragraph(ui.strings["account.username.rule"], in: line, .caption, ink)
            let isPressed = page.drawAction(
                ui,
                "account.register",
                ui.strings["account.register"],
                in: rest.takeTop(48),
                isEnabled: form.canProceed
            )
            if isPressed || form.canProceed && ui.submits(Self.name, Self.username) {
                page.model.send(.register)
            }
        }
    }

    private func nameProblem(_ ui: Interface) -> String? {
        form.refused[.name] ?? form.nameProblem.map { ui.strings.sentence(of: $0) }
    }

    private func usernameProblem(_ ui: Interface) -> String? {
        form.refused[.username].map { ui.strings.sentence(ofRefused: .username, $0) }
    }

    private func drawFields(_ ui: Interface, _ rest: inout Box, _ heights: (name: Double, username: Double)) {
        let name = ui.textField(
            Self.name,
            ui.strings["account.name"],
            form.name,
            in: rest.takeTop(heights.name),
            hint: ui.strings["account.name.hint"],
            error: nameProblem(ui)
        )
        if let name { page.model.send(.setName(name)) }
        let username = ui.textField(
            Self.username,
            ui.strings["account.username"],
            form.username,
            in: rest.takeTop(heights.username, gap: Space.small),
            hint: "ann_lee",
            error: usernameProblem(ui)
        )
        if let username { page.model.send(.setUsername(username)) }
    }
}
