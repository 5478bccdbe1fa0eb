internal import AccountsCore
internal import AppFlow
internal import Basics
internal import WindowKit

/// The page on which the user changes the profile.
@WindowActor struct ProfileEditPage {
    static let name: ControlID = "account.edit.name"
    static let fields: [AccountRules.Field] = [.name, .city, .birthday, .status]

    let page: AccountPage
    let form: ProfileForm
    let birthday: BirthdaySheet

    private var model: AccountViewModel { page.model }

    func draw(_ ui: Interface) {
        let width = AccountScreen.width
        let inner = ui.columnWidth(width) - 2 * Space.large
        let heights = Self.fields.map { ui.formFieldHeight(problem(ui, $0), width: inner) }
        let head = 44 + Space.medium + 36 + Space.large
        let picture = max(AccountPage.avatar(ui), 2 * 40 + Space.small) + pictureErrorHeight(ui) + Space.small
        let panel = 2 * Space.large + picture + heights.reduce(0, +) + Space.small + 48
        ui.page("account.edit.page", width: width, height: head + panel) {
            content in
            var rest = content
            page.drawBack(ui, in: rest.takeTop(44, gap: Space.medium))
            let title = rest.takeTop(36, gap: Space.large)
            ui.painter.text(ui.strings["account.edit.title"], in: title, .display, ui.theme.text)
            ui.card(rest)
            var inside = rest.inset(by: Space.large)
            drawPicture(ui, inside.takeTop(picture))
            for (name, height) in zip(Self.fields, heights) { draw(ui, name, in: inside.takeTop(height)) }
            _ = inside.takeTop(Space.small)
            let isPressed = page.drawAction(
                ui,
                "account.save",
                ui.strings["account.save"],
                in: inside.takeTop(48),
                isEnabled: form.canSave(today: model.day)
            )
            let isSubmitted = ui.submits(Self.id(.name), Self.id(.city), Self.id(.birthday), Self.id(.status))
            if isPressed || isSubmitted { model.send(.save) }
        }
    }

    static func id(_ field: AccountRules.Field) -> ControlID { ControlID("account.edit.\(field.rawValue)") }

    // MARK: - The picture

    private func drawPicture(_ ui: Interface, _ box: Box) {
        var rest = box
        let problem = pictureProblem(ui)
        _ = rest.takeBottom(Space.small)
        let error = rest.takeBottom(pictureErrorHeight(ui))
        ui.painter.paragraph(problem ?? "", in: error, .caption, ui.theme.dangerInk)
        let diameter = AccountPage.avatar(ui)
        let circle = rest.takeLeft(diameter, gap: Space.medium)
        let shown = form.avatar == nil ? page.state.picture : form.picture
        ui.person(form.name, shown, center: circle.center, diameter: diameter)
        var buttons = Box(center: rest.center, width: rest.width, height: 2 * 40 + Space.small)
        var row = buttons.takeTop(40, gap: Space.small)
        let camera = row.takeRight(40, gap: Space.small)
        let opensCamera = ui.iconButton(
            "account.picture.camera",
            .snapshot,
            ui.strings["account.camera.title"],
            center: camera.center,
            diameter: 40,
            isEnabled: page.state.isIdle
        )
        if opensCamera { model.send(.openCamera) }
        let choose = ui.button(
            "account.picture.choose",
            ui.strings["account.picture.choose"],
            .secondary,
            in: row,
            isEnabled: page.state.isIdle,
            isBusy: page.isWaiting && page.state.request?.isOfPicture ?? false
        )
        if choose {
            let kind = ui.strings["account.picture.kind"]
            model.send(
                .choosePicture(FileDialog(title: ui.strings["account.picture.choose"], kind: kind))
            )
        }
        let remove = ui.button(
            "account.picture.remove",
            ui.strings["account.picture.remove"],
            .quiet,
            in: buttons.takeTop(40),
            isEnabled: shown != nil && page.state.isIdle
        )
        if remove { model.send(.removePicture) }
    }

    private func pictureErrorHeight(_ ui: Interface) -> Double {
        let width = ui.columnWidth(AccountScreen.width) - 2 * Space.large
        return max(Interface.errorHeight, ui.errorHeight(pictureProblem(ui), width: width))
    }

    private func pictureProblem(_ ui: Interface) -> String? {
        if let problem = form.pictureProblem { return ui.strings["account.picture.\(problem.rawValue)"] }
        return form.refused[.avatar]
    }

    // MARK: - Fields

    private func draw(_ ui: Interface, _ field: AccountRules.Field, in box: Box) {
        var rest = box
        let side = field == .birthday ? rest.takeRight(46, gap: Space.small) : nil
        let text = ui.textField(
            Self.id(field),
            ui.strings[label(field)],
            value(field),
            in: rest,
            hint: field == .birthday ? ui.strings["account.birthday.hint"] : "",
            limit: 8000,
            error: problem(ui, field)
        )
        if let text { model.send(.set(text, of: field)) }
        if let side {
            let center = Point(side.center.x, box.y + Interface.fieldHeight - 23)
            let name = ui.strings["account.birthday.choose"]
            if ui.iconButton("account.birthday.open", .calendar, name, center: center) {
                birthday.open(form, today: model.day)
            }
        }
    }

    private func problem(_ ui: Interface, _ field: AccountRules.Field) -> String? {
        form.refused[field] ?? form.problem(of: field, today: model.day).map { ui.strings.sentence(of: $0) }
    }

    private func label(_ field: AccountRules.Field) -> String {
        field == .status ? "account.about" : "account.\(field.rawValue)"
    }

    private func value(_ field: AccountRules.Field) -> String {
        switch field {
        case .name: form.name
        case .city: form.city
        case .birthday: form.birthday
        case .status: form.about
        case .phone, .code, .username, .vk, .instagram, .avatar: ""
        }
    }
}

extension AccountViewModel.Request {
    fileprivate var isOfPicture: Bool {
        switch self {
        case .choosePicture, .readPicture, .useFrame: true
        default: false
        }
    }
}
