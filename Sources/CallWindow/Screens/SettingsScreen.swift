internal import AppFlow
internal import Basics
internal import CallCore
internal import WindowKit

/// The page with the user's settings, in sections.
@WindowActor final class SettingsScreen: ScreenView {
    private typealias Section = Interface.Section

    private let model: SettingsViewModel
    private let version: String
    private let shell: AppShell?
    /// The text field that had the keyboard focus in the last frame, if any.
    private var typedInto: ControlID?
    /// Whether the user has chosen a text scale that is not in effect yet, and the scale of the last frame.
    private var scaling = (isChosen: false, shown: 0.0)
    /// The number of frames in which the page continues to scroll to the text scale control, which a new scale has
    /// moved.
    private var framesToReveal = 0

    private static let width = 520.0
    /// The heights of a caption, and of a control with its caption.
    private static let (caption, choice) = (22.0, 22 + Space.tiny + 44)
    /// The number of frames until the layout of the page is stable after a change of the scale.
    private static let revealing = 4
    private static let kinds: [MediaDevice.Kind] = [.camera, .microphone, .speaker]

    init(model: SettingsViewModel, version: String, shell: AppShell?) {
        self.model = model
        self.version = version
        self.shell = shell
    }

    func title(_ strings: Strings) -> WindowTitle { WindowTitle("common.settings", shell, strings) }

    func draw(_ ui: Interface) {
        let (title, sections) = (ui.strings["common.settings"], sections(ui, model.store.state))
        ui.page("settings.page", title, width: Self.width, sections: sections)
        commitTypedText(ui)
    }

    func drawSheets(_ ui: Interface) {
        shell?.drawRing(ui)
        if ui.consumes(.escape) { shell?.show(.calls) }
    }

    /// Applies the typed text when the user presses Return in a text field or leaves it.
    private func commitTypedText(_ ui: Interface) {
        let field = (["settings.server", "settings.token"] as [ControlID]).first { $0 == ui.focus.focused }
        let hasLeft = typedInto != nil && typedInto != field
        typedInto = field
        if hasLeft || ui.submits("settings.server", "settings.token") { model.send(.commit) }
    }

    // MARK: - Sections

    private func sections(_ ui: Interface, _ state: SettingsViewModel.State) -> [Section] {
        var sections = [
            server(ui, state), answering(ui, state.settings), devices(ui, state), looks(ui, state.settings),
            language(ui, state.settings), about(ui),
        ]
        if shell?.chats != nil { sections.insert(notifying(ui, state.settings), at: 2) }
        return sections
    }

    private func section(
        _ ui: Interface,
        _ key: String,
        height: Double,
        _ draw: @escaping (Box) -> Void
    ) -> Section {
        Section(name: ui.strings["settings.section.\(key)"], height: height, draw: draw)
    }

    private func server(_ ui: Interface, _ state: SettingsViewModel.State) -> Section {
        let inside = ui.sectionWidth(Self.width)
        let problem = state.hasBadServer ? ui.strings["settings.server.problem"] : nil
        let field = Interface.fieldHeight + ui.errorHeight(problem, width: inside)
        let note = ui.painter.height(of: ui.strings["settings.server.note"], .caption, width: inside)
        let height = field + Space.tiny + note + Space.medium + Interface.fieldHeight
        return section(ui, "server", height: height) { [model] box in
            var rest = box
            let server = ui.textField(
                "settings.server",
                ui.strings["settings.server"],
                state.serverText,
                in: rest.takeTop(field, gap: Space.tiny),
                hint: ui.strings["settings.server.hint"],
                limit: SettingsViewModel.longestServer,
                error: problem
            )
            if let server { model.send(.setServer(server)) }
            ui.painter.paragraph(
                ui.strings["settings.server.note"],
                in: rest.takeTop(note, gap: Space.medium),
                .caption,
                ui.theme.faint
            )
            let token = ui.textField(
                "settings.token",
                ui.strings["settings.token"],
                state.tokenText,
                in: rest,
                hint: ui.strings["settings.token.hint"],
                kind: .password,
                limit: SettingsViewModel.longestToken
            )
            if let token { model.send(.setToken(token)) }
        }
    }

    private func answering(_ ui: Interface, _ settings: AppSettings) -> Section {
        let text = TitledNote(
            ui.strings["settings.auto-answer"],
            .body,
            note: ui.strings["settings.auto-answer.note"]
        )
        let height = text.height(ui, width: ui.sectionWidth(Self.width) - 62)
        return section(ui, "calls", height: max(44, height)) { [model] box in
            var row = box
            _ = row.takeRight(62)
            text.draw(ui, in: row, ink: ui.theme.text, noteInk: ui.theme.faint)
            if let does = ui.toggle("settings.auto-answer", settings.answersAutomatically, in: box) {
                model.send(.setAnswersAutomatically(does))
            }
        }
    }

    private func notifying(_ ui: Interface, _ settings: AppSettings) -> Section {
        let note = ui.strings["settings.notifications.note"]
        let lines = ui.painter.height(of: note, .caption, width: ui.sectionWidth(Self.width))
        return section(ui, "notifications", height: 44 + Space.tiny + lines) { [model] box in
            var rest = box
            let choices = AppSettings.Notifications.allCases
            let choice = ui.segments(
                "settings.notifications",
                choices.map { ui.strings["settings.notifications.\($0.rawValue)"] },
                selected: choices.firstIndex(of: settings.notifications) ?? 0,
                in: rest.takeTop(44, gap: Space.tiny)
            )
            if let choice { model.send(.setNotifications(choices[choice])) }
            ui.painter.paragraph(note, in: rest, .caption, ui.theme.faint)
        }
    }

    private func devices(_ ui: Interface, _ state: SettingsViewModel.State) -> Section {
        let count = Double(Self.kinds.count)
        let height = count * Self.choice + (count - 1) * Space.medium
        return section(ui, "devices", height: height) { [self, model] box in
            var rest = box
            for kind in Self.kinds {
                let choices = state.choices(of: kind)
                let selected = choices.firstIndex { $0.id == state.settings.devices[kind]?.id } ?? 0
                let index = labelled(ui, "devices.\(kind.rawValue)", &rest, gap: Space.medium) { box in
                    ui.menu(
                        ControlID("settings.\(kind.rawValue)"),
                        choices.map { name(of: $0, ui, state) },
                        selected: selected,
                        in: box
                    )
                }
                guard let index, choices.indices.contains(index) else { continue }
                model.send(.setDevice(index == 0 ? nil : choices[index], kind))
            }
        }
    }

    private func name(of device: MediaDevice, _ ui: Interface, _ state: SettingsViewModel.State) -> String {
        if device.id == MediaDevice.standard { return ui.strings["devices.standard"] }
        guard let present = state.devices, !present.contains(where: { $0.id == device.id }) else {
            return device.name
        }
        return ui.strings("settings.device.absent", ["name": device.name])
    }

    private func looks(_ ui: Interface, _ settings: AppSettings) -> Section {
        section(ui, "look", height: 2 * Self.choice + Space.medium) { [self, model] box in
            var rest = box
            let themes = AppSettings.Theme.allCases
            let theme = labelled(ui, "settings.theme", &rest, gap: Space.medium) { box in
                ui.segments(
                    "settings.theme",
                    themes.map { ui.strings["settings.theme.\($0.rawValue)"] },
                    selected: themes.firstIndex(of: settings.theme) ?? 0,
                    in: box
                )
            }
            if let theme { model.send(.setTheme(themes[theme])) }
            let sizes = AppSettings.offeredTextScales
            let nearest = sizes.indices.min {
                abs(sizes[$0] - settings.textScale) < abs(sizes[$1] - settings.textScale)
            }
            let size = labelled(ui, "settings.text", &rest, gap: 0) { [self] box in
                reveal(box, ui)
                return ui.segments(
                    "settings.text",
                    sizes.map { "\(Int($0 * 100))" },
                    selected: nearest ?? 1,
                    in: box
                )
            }
            if let size {
                model.send(.setTextScale(sizes[size]))
                scaling.isChosen = true
            }
        }
    }

    /// Scrolls to the text scale control once the page is drawn with the new scale.
    private func reveal(_ box: Box, _ ui: Interface) {
        if scaling.isChosen, scaling.shown != ui.painter.scale {
            (scaling.isChosen, framesToReveal) = (false, Self.revealing)
        }
        scaling.shown = ui.painter.scale
        guard framesToReveal > 0 else { return }
        framesToReveal -= 1
        ui.scroll(to: box)
    }

    private func language(_ ui: Interface, _ settings: AppSettings) -> Section {
        section(ui, "language", height: 44) { [model] box in
            let languages = AppSettings.Language.allCases
            let names = [ui.strings["settings.language.system"]] + languages.map(\.name)
            let chosen = settings.language.flatMap(languages.firstIndex).map { $0 + 1 } ?? 0
            guard let index = ui.menu("settings.language", names, selected: chosen, in: box) else { return }
            model.send(.setLanguage(index == 0 ? nil : languages[index - 1]))
        }
    }

    private func about(_ ui: Interface) -> Section {
        let inside = ui.sectionWidth(Self.width)
        let height = ui.painter.height(of: version, .caption, width: inside)
        return section(ui, "about", height: height) { [version] box in
            ui.painter.paragraph(version, in: box, .caption, ui.theme.text)
        }
    }

    /// Draws a control below its caption; returns the result of `body`.
    private func labelled(
        _ ui: Interface,
        _ key: String,
        _ rest: inout Box,
        gap: Double,
        _ body: (Box) -> Int?
    ) -> Int? {
        let caption = rest.takeTop(Self.caption, gap: Space.tiny)
        ui.painter.text(ui.strings[key], in: caption, .captionStrong, ui.theme.faint)
        return body(rest.takeTop(44, gap: gap))
    }
}
