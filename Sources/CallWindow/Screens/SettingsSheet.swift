internal import Basics
internal import CallFlow

/// The sheet with the user's settings, shown over the current screen.
@WindowActor final class SettingsSheet {
    private let model: SettingsViewModel
    var isOpen = false
    /// The text field that had the keyboard focus in the last frame.
    private var typedInto: ControlID?

    init(model: SettingsViewModel) {
        self.model = model
    }

    /// Draws the button at the top right that opens the sheet; the button scrolls with the page.
    func drawButton(_ ui: Interface, on page: ControlID) {
        if ui.focus.shows("settings.open") { ui.scrolls[page] = 0 }
        let center = Point(ui.area.width - Space.large - 20, Space.medium + 20 - (ui.scrolls[page] ?? 0))
        let name = ui.strings["common.settings"]
        if ui.iconButton("settings.open", .settings, name, center: center, diameter: 40, ink: ui.theme.faint)
        {
            isOpen = true
            ui.focus.focus(nil, visibly: ui.focus.isVisible)
        }
    }

    func draw(_ ui: Interface) {
        let state = model.store.state
        let field = Interface.fieldHeight
        let note = noteHeight(ui)
        let choice = 22 + Space.tiny + 44 + Space.large
        let problem = state.hasBadServer ? Interface.errorHeight : 0
        let height = field + problem + note + Space.medium + field + Space.large + 3 * choice + 52
        let isClosed = ui.sheet(
            "settings",
            ui.strings["common.settings"],
            isOpen: isOpen,
            contentHeight: height
        ) { box in
            var rest = box
            drawServer(ui, state, &rest)
            if ui.submits("settings.server", "settings.token") { model.send(.commit) }
            drawLooks(ui, state.settings, &rest)
            drawAnswering(ui, state.settings, &rest)
        }
        if isClosed { isOpen = false }
        commit(ui, isClosed: isClosed)
    }

    /// Commits the edited texts when the user leaves a text field or closes the sheet.
    private func commit(_ ui: Interface, isClosed: Bool) {
        let field = (["settings.server", "settings.token"] as [ControlID]).first { $0 == ui.focus.focused }
        let hasLeft = typedInto != nil && typedInto != field
        typedInto = field
        if isClosed || hasLeft { model.send(.commit) }
    }

    private func noteHeight(_ ui: Interface) -> Double {
        let width = min(440, ui.area.width - 2 * Space.medium) - 2 * Space.huge
        return ui.painter.height(of: ui.strings["settings.server.note"], .caption, width: width)
    }

    private func drawServer(_ ui: Interface, _ state: SettingsViewModel.State, _ rest: inout Box) {
        let server = ui.textField(
            "settings.server",
            ui.strings["settings.server"],
            state.serverText,
            in: rest.takeTop(
                Interface.fieldHeight + (state.hasBadServer ? Interface.errorHeight : 0),
                gap: Space.tiny
            ),
            hint: ui.strings["settings.server.hint"],
            limit: SettingsViewModel.longestServer,
            error: state.hasBadServer ? ui.strings["settings.server.problem"] : nil
        )
        if let server { model.send(.setServer(server)) }
        ui.painter.paragraph(
            ui.strings["settings.server.note"],
            in: rest.takeTop(noteHeight(ui), gap: Space.small),
            .caption,
            ui.theme.faint
        )
        let token = ui.textField(
            "settings.token",
            ui.strings["settings.token"],
            state.tokenText,
            in: rest.takeTop(Interface.fieldHeight, gap: Space.large),
            hint: ui.strings["settings.token.hint"],
            kind: .password,
            limit: SettingsViewModel.longestToken
        )
        if let token { model.send(.setToken(token)) }
    }

    private func drawLooks(_ ui: Interface, _ settings: AppSettings, _ rest: inout Box) {
        let themes = AppSettings.Theme.allCases
        let theme = labelled(ui, "settings.theme", &rest) { box in
            ui.segments(
                "settings.theme",
                themes.map { ui.strings["settings.theme.\($0.rawValue)"] },
                selected: themes.firstIndex(of: settings.theme) ?? 0,
                in: box
            )
        }
        if let theme { model.send(.setTheme(themes[theme])) }
        let languages = AppSettings.Language.allCases
        let names = [ui.strings["settings.language.system"]] + languages.map(\.name)
        let chosen = settings.language.flatMap(languages.firstIndex).map { $0 + 1 } ?? 0
        let language = labelled(ui, "settings.language", &rest) { box in
            ui.menu("settings.language", names, selected: chosen, in: box)
        }
        if let language { model.send(.setLanguage(language == 0 ? nil : languages[language - 1])) }
        let sizes = [0.85, 1, 1.25, 1.5, 2]
        let nearest = sizes.indices.min {
            abs(sizes[$0] - settings.textScale) < abs(sizes[$1] - settings.textScale)
        }
        let size = labelled(ui, "settings.text", &rest) { box in
            ui.segments(
                "settings.text",
                sizes.map { "\(Int($0 * 100)) %" },
                selected: nearest ?? 1,
                in: box
            )
        }
        if let size { model.send(.setTextScale(sizes[size])) }
    }

    private func drawAnswering(_ ui: Interface, _ settings: AppSettings, _ rest: inout Box) {
        var row = rest.takeTop(44)
        let box = row
        _ = row.takeRight(62)
        ui.painter.text(ui.strings["settings.auto-answer"], in: row.takeTop(22), .body, ui.theme.text)
        ui.painter.text(
            ui.strings["settings.auto-answer.note"],
            in: row.takeTop(20),
            .caption,
            ui.theme.faint
        )
        if let does = ui.toggle("settings.auto-answer", settings.answersAutomatically, in: box) {
            model.send(.setAnswersAutomatically(does))
        }
    }

    private func labelled(
        _ ui: Interface,
        _ key: String,
        _ rest: inout Box,
        _ body: (Box) -> Int?
    ) -> Int? {
        ui.painter.text(
            ui.strings[key],
            in: rest.takeTop(22, gap: Space.tiny),
            .captionStrong,
            ui.theme.faint
        )
        return body(rest.takeTop(44, gap: Space.large))
    }
}
