internal import WindowKit

extension GalleryScreen {
    /// Sentences with all letters of their language, and samples of left-to-right and right-to-left scripts.
    static let pangrams = [
        "Pack my box with five dozen liquor jugs. ÄÖÜ ß œ å",
        "Щастям б’єш жук їх глицю в фон й ґедзь пріч.",
        "Съешь же ещё этих мягких французских булок.",
        "דג סקרן שט בים מאוכזב · نص حكيم له سر قاطع",
        "いろはにほへと · 天地玄黃 · 키스의 고유조건은",
        "क्षेत्र ज्ञान · ก็ · e\u{301} x\u{302}\u{323} · 👩‍👩‍👧 🇺🇦 👍🏽",
    ]

    private static let row = Interface.buttonHeight

    /// Creates the sections for a card whose content is `width` points wide.
    func sections(_ ui: Interface, width: Double) -> [Section] {
        let columns = width < 520 ? 2 : 4
        return [
            text(ui), buttons(ui, columns), iconButtons(ui), switches(ui), choices(ui), fields(ui),
            banners(ui, width), toasts(ui, width), people(ui), icons(ui, width), list(ui),
        ]
    }

    /// Computes the rectangles of `count` cells in rows of `columns`.
    private static func cells(_ box: Box, _ count: Int, columns: Int, height: Double) -> [Box] {
        (0..<count).map { index in
            let cell = box.columns(columns, gap: Space.small)[index % columns]
            let top = box.y + Double(index / columns) * (height + Space.small)
            return Box(x: cell.x, y: top, width: cell.width, height: height)
        }
    }

    /// Computes the total height of `count` cells in rows of `columns`.
    private static func height(_ count: Int, columns: Int, _ height: Double) -> Double {
        let rows = Double((count + columns - 1) / columns)
        return rows * height + (rows - 1) * Space.small
    }

    private func text(_ ui: Interface) -> Section {
        let styles = TypeStyle.allCases
        let height = styles.map { $0.lineHeight + Space.tiny }.reduce(0, +)
        let line = TypeStyle.body.lineHeight + Space.tiny
        return Section(name: "Text", height: height + line * Double(Self.pangrams.count)) { box in
            var rest = box
            for style in styles {
                let place = rest.takeTop(style.lineHeight, gap: Space.tiny)
                ui.painter.text("\(style), \(Int(style.size)) points", in: place, style, ui.theme.text)
            }
            for pangram in Self.pangrams {
                let place = rest.takeTop(TypeStyle.body.lineHeight, gap: Space.tiny)
                ui.painter.text(pangram, in: place, .body, ui.theme.text)
            }
        }
    }

    private func buttons(_ ui: Interface, _ columns: Int) -> Section {
        let styles: [Interface.ButtonStyle] = [.primary, .secondary, .danger, .quiet]
        let count = styles.count * 4
        let height = Self.height(count, columns: columns, Self.row)
        return Section(name: "Buttons: plain, with an icon, disabled, busy", height: height) { [self] box in
            for (index, cell) in Self.cells(box, count, columns: columns, height: Self.row).enumerated() {
                let (style, variant) = (styles[index / 4], index % 4)
                let isPressed = ui.button(
                    ControlID("gallery.button.\(index)"),
                    "\(style)",
                    style,
                    in: cell,
                    glyph: variant == 1 ? .camera : nil,
                    isEnabled: variant != 2,
                    isBusy: variant == 3
                )
                if isPressed { state.isSheetOpen = true }
            }
        }
    }

    private func iconButtons(_ ui: Interface) -> Section {
        Section(name: "Round buttons: plain, filled, disabled", height: 56) { box in
            let (theme, cells) = (ui.theme, box.columns(5, gap: Space.small))
            let fills: [Color?] = [nil, theme.field, theme.brand, theme.danger, nil]
            for (index, cell) in cells.enumerated() {
                let isColored = index == 2 || index == 3
                _ = ui.iconButton(
                    ControlID("gallery.round.\(index)"),
                    [.settings, .microphone, .answer, .hangUp, .snapshot][index],
                    ["Settings", "Microphone", "Answer", "Hang up", "Snapshot"][index],
                    center: cell.center,
                    fill: fills[index],
                    ink: isColored ? .white : nil,
                    isEnabled: index != 4
                )
            }
        }
    }

    private func switches(_ ui: Interface) -> Section {
        Section(name: "Switches: on, off, disabled", height: Self.row) { [self] box in
            let cells = box.columns(4, gap: Space.small)
            for index in 0..<2 {
                let id = ControlID("gallery.switch.\(index)")
                if let isOn = ui.toggle(id, state.switches[index], in: cells[index]) {
                    state.switches[index] = isOn
                }
            }
            for (index, isOn) in [true, false].enumerated() {
                _ = ui.toggle(
                    ControlID("gallery.switch.\(index + 2)"),
                    isOn,
                    in: cells[index + 2],
                    isEnabled: false
                )
            }
        }
    }

    private func choices(_ ui: Interface) -> Section {
        Section(name: "Segments and a menu", height: Self.row + Space.medium + Self.row) { [self] box in
            var rest = box
            let names = ["One", "Two", "Three"]
            let place = rest.takeTop(Self.row, gap: Space.medium)
            if let index = ui.segments("gallery.segments", names, selected: state.segment, in: place) {
                state.segment = index
            }
            let entries = (1...20).map { "Entry \($0)" }
            if let index = ui.menu("gallery.menu", entries, selected: state.choice, in: rest) {
                state.choice = index
            }
        }
    }

    private func fields(_ ui: Interface) -> Section {
        let kinds: [Interface.FieldKind] = [.text, .text, .digits, .password, .text]
        let labels = ["Empty, with a hint", "Text", "Digits, with an error", "Password", "Right to left"]
        let field = Interface.fieldHeight + Space.medium
        let height = field * Double(labels.count) + Interface.errorHeight
        return Section(name: "Fields", height: height) { [self] box in
            var rest = box
            for (index, label) in labels.enumerated() {
                let error = index == 2 ? "It must be at most 16 digits long." : nil
                let space = Interface.fieldHeight + (error == nil ? 0 : Interface.errorHeight)
                let text = ui.textField(
                    ControlID("gallery.field.\(index)"),
                    label,
                    state.fields[index],
                    in: rest.takeTop(space, gap: Space.medium),
                    hint: "A hint",
                    kind: kinds[index],
                    error: error
                )
                if let text { state.fields[index] = text }
            }
        }
    }

    private func banners(_ ui: Interface, _ width: Double) -> Section {
        let tones: [Interface.Tone] = [.info, .good, .warning, .error]
        let heights = tones.map { tone in
            ui.bannerHeight(Self.pangrams[0], width: width, hasAction: tone == .error)
        }
        let height = heights.reduce(0, +) + Space.small * Double(tones.count - 1)
        return Section(name: "Banners", height: height) { box in
            var rest = box
            for (tone, height) in zip(tones, heights) {
                ui.banner(
                    ControlID("gallery.banner.\(tone)"),
                    Self.pangrams[0],
                    tone,
                    in: rest.takeTop(height, gap: Space.small),
                    action: tone == .error ? "Retry" : nil
                )
            }
        }
    }

    private func toasts(_ ui: Interface, _ width: Double) -> Section {
        let tones: [Interface.Tone] = [.good, .error]
        let all = tones.enumerated().map { Interface.Toast(id: -$0, text: Self.pangrams[$0], tone: $1) }
        let heights = all.map { ui.toastHeight($0, width: min(width, 420)) }
        return Section(name: "Toasts", height: heights.reduce(0, +) + Space.small) { box in
            var rest = box
            for (toast, height) in zip(all, heights) {
                let place = rest.takeTop(height, gap: Space.small)
                _ = ui.draw(toast, in: Box(x: place.x, y: place.y, width: min(width, 420), height: height))
            }
        }
    }

    private func people(_ ui: Interface) -> Section {
        Section(name: "Avatars, badges, a spinner, a line", height: 96 + Space.medium + 26 + 12) { box in
            var rest = box
            let avatars = rest.takeTop(96, gap: Space.medium).columns(5, gap: Space.small)
            for (cell, name) in zip(avatars, ["Ann Lee", "Олена", "Zoë", ""]) {
                let diameter = name == "Ann Lee" ? min(96, cell.width) : 56
                ui.avatar(name, center: cell.center, diameter: diameter)
            }
            if let last = avatars.last { ui.spinner(last.center, diameter: 32, ui.theme.brand) }
            let badges = rest.takeTop(26).columns(3, gap: Space.small)
            for (cell, (name, tone)) in zip(
                badges,
                [("caller", ui.theme.link), ("callee", ui.theme.goodInk), ("lost", ui.theme.dangerInk)]
            ) {
                ui.badge(name, tone, in: cell)
            }
            ui.divider(rest.takeTop(12))
        }
    }

    private func icons(_ ui: Interface, _ width: Double) -> Section {
        let (all, columns) = (Glyph.allCases, width < 520 ? 6 : 8)
        let cell = 64.0
        let height = Self.height(all.count, columns: columns, cell)
        return Section(name: "Icons", height: height) { box in
            for (glyph, place) in zip(all, Self.cells(box, all.count, columns: columns, height: cell)) {
                var rest = place
                let center = rest.takeTop(36).center
                ui.painter.glyph(glyph, center: center, size: 28, ui.theme.text)
                ui.painter.text("\(glyph)", in: rest, .caption, ui.theme.faint, .center)
            }
        }
    }

    private func list(_ ui: Interface) -> Section {
        Section(name: "A list of 10,000 rows", height: 240) { box in
            ui.list(
                "gallery.list",
                in: box,
                count: 10_000,
                estimate: 40,
                height: { Double(28 + $0 % 3 * 12) },
                row: { row, place in
                    let inside = place.inset(x: Space.medium, y: 0)
                    ui.painter.text("Row \(row + 1)", in: inside, .body, ui.theme.text)
                }
            )
        }
    }
}
