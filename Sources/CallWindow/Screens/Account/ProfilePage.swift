internal import AccountsCore
internal import AppFlow
internal import Basics
internal import PhoneKit
internal import WindowKit

/// The page with the user's profile, its sign-ins, and the actions for the account.
@WindowActor struct ProfilePage {
    static let scroll: ControlID = "account.profile"
    private static let row = 48.0

    let page: AccountPage

    private var state: AccountViewModel.State { page.state }
    private var model: AccountViewModel { page.model }

    func draw(_ ui: Interface) {
        let details = details(ui)
        let place = page.strip(ui)
        ui.page(
            Self.scroll,
            ui.strings["bar.account"],
            width: AccountScreen.width,
            sections: [head(ui), about(ui, details), signIns(ui), actions(ui)].compactMap(\.self)
        )
        page.drawStrip(ui, place)
    }

    // MARK: - The user

    private func head(_ ui: Interface) -> Interface.Section {
        let unsent = state.isUnsent ? unsentHeight(ui) : 0
        let avatar = AccountPage.avatar(ui)
        let height = avatar + Space.large + unsent + Interface.buttonHeight
        return Interface.Section(name: "", height: height) { box in
            var rest = box
            var line = rest.takeTop(avatar, gap: Space.large)
            drawPicture(ui, line.takeLeft(avatar, gap: Space.medium).center, avatar)
            drawName(ui, line)
            if state.isUnsent {
                ui.banner(
                    "account.unsent",
                    ui.strings["account.unsent"],
                    .warning,
                    in: rest.takeTop(unsent - Space.large, gap: Space.large)
                )
            }
            drawButtons(ui, rest.takeTop(Interface.buttonHeight))
        }
    }

    private func unsentHeight(_ ui: Interface) -> Double {
        let width = ui.sectionWidth(AccountScreen.width)
        return ui.bannerHeight(ui.strings["account.unsent"], width: width, hasAction: false) + Space.large
    }

    private func drawPicture(_ ui: Interface, _ center: Point, _ diameter: Double) {
        ui.person(state.profile?.name ?? "", state.picture, center: center, diameter: diameter)
        guard let isOnline = state.isOnline else { return }
        let dot = Point(center.x + diameter * 0.35, center.y + diameter * 0.35)
        ui.painter.disc(dot, diameter: 22, ui.theme.surface)
        ui.painter.disc(dot, diameter: 14, isOnline ? ui.theme.goodInk : ui.theme.faint)
    }

    private func drawName(_ ui: Interface, _ box: Box) {
        guard let profile = state.profile else {
            let line = Box(center: box.center, width: box.width, height: 44)
            let text = ui.strings["account.profile.unknown"]
            ui.painter.paragraph(text, in: line, .body, ui.theme.faint, limit: 3)
            return
        }
        var lines = Box(center: box.center, width: box.width, height: 78)
        ui.painter.text(profile.name, in: lines.takeTop(32), .title, ui.theme.text)
        ui.painter.text("@\(profile.username)", in: lines.takeTop(24), .body, ui.theme.faint)
        ui.painter.text(formattedPhone(profile.phone), in: lines.takeTop(22), .caption, ui.theme.faint)
    }

    private func drawButtons(_ ui: Interface, _ box: Box) {
        let cells = box.columns(2, gap: Space.small)
        let edit = ui.button(
            "account.edit",
            ui.strings["account.edit"],
            in: cells[0],
            glyph: .pencil,
            isEnabled: state.profile != nil && state.isIdle
        )
        if edit { model.send(.edit) }
        if draw(ui, "refresh", in: cells[1], running: .fetch) { model.send(.refresh) }
    }

    // MARK: - Details

    private struct Detail {
        let name: String
        let text: String
    }

    private func details(_ ui: Interface) -> [Detail] {
        guard let profile = state.profile else { return [] }
        let strings = ui.strings
        var birthday = profile.birthday.map { strings.date($0) }
        if let day = birthday, let sign = profile.zodiacSign {
            birthday = "\(day) · \(strings["zodiac.\(sign.rawValue)"])"
        }
        let all: [(String, String?)] = [
            ("account.city", profile.city), ("account.birthday", birthday), ("account.about", profile.about),
        ]
        return all.compactMap { key, text in text.map { Detail(name: strings[key], text: $0) } }
    }

    private func about(_ ui: Interface, _ details: [Detail]) -> Interface.Section? {
        guard !details.isEmpty else { return nil }
        let width = ui.sectionWidth(AccountScreen.width)
        let heights = details.map { ui.painter.height(of: $0.text, .body, width: width, limit: 40) }
        let height = heights.map { 20 + $0 + Space.medium }.reduce(-Space.medium, +)
        return Interface.Section(name: ui.strings["account.section.about"], height: height) { box in
            var rest = box
            for (detail, lines) in zip(details, heights) {
                let name = rest.takeTop(20)
                ui.painter.text(detail.name, in: name, .captionStrong, ui.theme.faint)
                let place = rest.takeTop(lines, gap: Space.medium)
                ui.painter.paragraph(detail.text, in: place, .body, ui.theme.text, limit: 40)
            }
        }
    }

    // MARK: - Sign-ins

    private func signIns(_ ui: Interface) -> Interface.Section {
        let name = ui.strings["account.section.sign-ins"]
        guard let list = state.signIns else {
            return Interface.Section(name: name, height: Interface.buttonHeight) { box in
                let title = ui.strings["account.sign-ins.show"]
                var place = box
                place.width = min(box.width, ui.buttonWidth(title))
                let isBusy = state.request == .listSignIns && page.isWaiting
                let isPressed = ui.button(
                    "account.sign-ins",
                    title,
                    .secondary,
                    in: place,
                    isEnabled: state.isIdle,
                    isBusy: isBusy
                )
                if isPressed { model.send(.listSignIns) }
            }
        }
        return Interface.Section(name: name, height: Double(list.count) * Self.row) { box in
            var rest = box
            for signIn in list { draw(ui, signIn, rest.takeTop(Self.row)) }
        }
    }

    private func draw(_ ui: Interface, _ signIn: SignIn, _ box: Box) {
        var rest = box
        if !signIn.isCurrent {
            let title = ui.strings["account.sign-ins.end"]
            let button = rest.takeRight(min(ui.buttonWidth(title), rest.width / 2), gap: Space.small)
            let isPressed = ui.button(
                ControlID("account.end \(signIn.id)"),
                title,
                .quiet,
                in: Box(center: button.center, width: button.width, height: 36),
                isEnabled: state.isIdle
            )
            if isPressed { model.send(.ask(.end(signIn))) }
        }
        let when =
            signIn.isCurrent
            ? ui.strings["account.sign-ins.here"]
            : signIn.last.map { LocalTime($0).text(ui.strings) } ?? ""
        var lines = Box(center: rest.center, width: rest.width, height: 42)
        ui.painter.text(signIn.device, in: lines.takeTop(22), .body, ui.theme.text)
        let ink = signIn.isCurrent ? ui.theme.goodInk : ui.theme.faint
        ui.painter.text(when, in: lines.takeTop(20), .caption, ink)
    }

    // MARK: - Actions

    private func actions(_ ui: Interface) -> Interface.Section {
        let button = Interface.buttonHeight
        let height = 3 * button + 2 * Space.small
        return Interface.Section(name: ui.strings["account.section.account"], height: height) { box in
            var rest = box
            let place = rest.takeTop(button, gap: Space.small)
            if draw(ui, "export", in: place, running: .export) { model.send(.export) }
            let leave = rest.takeTop(button, gap: Space.small)
            if draw(ui, "sign-out", in: leave, glyph: .leave, running: .signOut) {
                model.send(.ask(.signOut))
            }
            let delete = rest.takeTop(button)
            if draw(ui, "delete", .quietDanger, in: delete, glyph: .bin) { model.send(.ask(.delete(nil))) }
        }
    }

    /// Draws a button that is shown as busy while `request` runs.
    private func draw(
        _ ui: Interface,
        _ name: String,
        _ style: Interface.ButtonStyle = .secondary,
        in box: Box,
        glyph: Glyph? = nil,
        running request: AccountViewModel.Request? = nil
    ) -> Bool {
        ui.button(
            ControlID("account.\(name)"),
            ui.strings["account.\(name)"],
            style,
            in: box,
            glyph: glyph,
            isEnabled: state.isIdle,
            isBusy: request != nil && state.request == request && page.isWaiting
        )
    }
}

extension Interface {
    /// Draws a person's round picture, or the initials if there is no picture.
    func person(_ name: String, _ picture: UserPicture?, center: Point, diameter: Double) {
        guard let picture else { return avatar(name, center: center, diameter: diameter) }
        let box = Box(center: center, width: diameter, height: diameter)
        painter.picture(picture.frame, in: box, radius: diameter / 2)
    }
}
