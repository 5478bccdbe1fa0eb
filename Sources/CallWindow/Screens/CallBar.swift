internal import AppFlow
internal import WindowKit

/// The controls of a call: round buttons at the bottom.
@WindowActor struct CallBar {
    enum Button: String, CaseIterable {
        case mute, camera, record, snapshot, devices, statistics
        case fullScreen = "full-screen"
        case end

        var id: ControlID { ControlID("call.\(rawValue)") }
    }

    /// All buttons except `end`, the most important ones first; a narrow window omits the last ones.
    private static let byImportance: [Button] = [
        .mute, .camera, .fullScreen, .record, .devices, .statistics, .snapshot,
    ]
    private static let button = 48.0
    private static let smallButton = 40.0
    private static let places = byImportance.count

    let controls: CallControls
    let isChoosingDevices: Bool
    let isShowingStatistics: Bool

    // MARK: - Layout

    private static func isNarrow(_ ui: Interface) -> Bool { ui.area.width < 720 }

    private static func gap(_ ui: Interface) -> Double { isNarrow(ui) ? Space.small : Space.medium }

    /// Computes the numbers of rows and columns, including the button that ends the call, and the size of a
    /// button.
    private static func grid(_ ui: Interface) -> (rows: Int, columns: Int, side: Double) {
        guard isNarrow(ui) else { return (1, places + 1, button) }
        let room = ui.area.width - 2 * Space.small - 2 * Space.medium + gap(ui)
        func columns(_ side: Double) -> Int { min(places + 1, max(1, Int(room / (side + gap(ui))))) }
        // Buttons become smaller before any of them is left out.
        let side = 2 * columns(button) > places ? button : smallButton
        return (columns(side) > places ? 1 : 2, columns(side), side)
    }

    /// Computes the rectangle of the bar.
    static func place(in ui: Interface) -> Box {
        let (rows, columns, side) = grid(ui)
        let end =
            isNarrow(ui) ? side : ui.buttonWidth(ui.strings["call.end"], hasGlyph: true) + Space.small
        let height = Double(rows) * (side + Space.small) - Space.small + 24
        return Box(
            center: Point(ui.area.center.x, ui.area.height - Space.large - height / 2),
            width: Double(columns - 1) * (side + gap(ui)) + end + 2 * Space.medium,
            height: height
        )
    }

    // MARK: - Drawing

    /// Draws the buttons and calls `press` with the one that the user presses.
    func draw(_ ui: Interface, _ press: (Button) -> Void) {
        let bar = Self.place(in: ui)
        let (rows, columns, side) = Self.grid(ui)
        ui.painter.fill(bar, radius: 36, .glass)
        var rest = bar.inset(x: Space.medium, y: Space.medium)
        var row = rest.takeTop(side, gap: Space.small)
        let kept = Self.byImportance.prefix(rows * columns - 1)
        for (index, button) in Button.allCases.filter(kept.contains).enumerated() {
            if index == columns { row = rest.takeTop(side) }
            if draw(button, ui, row.takeLeft(side, gap: Self.gap(ui)).center, side) { press(button) }
        }
        if row.width < 1 { row = rest }
        if drawEnd(ui, row, Self.isNarrow(ui) ? side : nil) { press(.end) }
    }

    private func draw(_ button: Button, _ ui: Interface, _ center: Point, _ side: Double) -> Bool {
        let (glyph, name, isOn) = look(of: button, ui)
        return ui.iconButton(
            button.id,
            glyph,
            name,
            center: center,
            diameter: side,
            fill: isOn ? .white : Color(0xFFFFFF, alpha: 30),
            ink: isOn ? Color(0x151A23) : .white
        )
    }

    private func look(of button: Button, _ ui: Interface) -> (glyph: Glyph, name: String, isOn: Bool) {
        let strings = ui.strings
        return switch button {
        case .mute: look(of: .microphone, strings)
        case .camera: look(of: .camera, strings)
        case .record:
            controls.recording == nil
                ? (.record, strings["call.record"], false) : (.stop, strings["call.record.stop"], true)
        case .snapshot: (.snapshot, strings["call.snapshot"], false)
        case .devices: (.settings, strings["call.devices"], isChoosingDevices)
        case .statistics: (.statistics, strings["call.statistics"], isShowingStatistics)
        case .fullScreen:
            (ui.isFullScreen ? .smallScreen : .fullScreen, strings["call.full-screen"] + " (F)", false)
        case .end: (.hangUp, strings["call.end"], false)
        }
    }

    private func look(of control: MediaSwitch, _ strings: Strings) -> (Glyph, String, Bool) {
        (
            control.glyph(controls), control.name(controls, strings, hasKey: true), control.isOff(controls)
        )
    }

    /// Draws the button that ends the call: a disc of size `side`, or a button with a title if `side` is nil.
    private func drawEnd(_ ui: Interface, _ box: Box, _ side: Double?) -> Bool {
        let title = ui.strings["call.end"]
        guard let side else {
            let place = Box(center: box.center, width: box.width, height: Self.button)
            return ui.button(
                Button.end.id,
                title,
                .danger,
                in: place,
                glyph: .hangUp,
                radius: Self.button / 2
            )
        }
        return ui.iconButton(
            Button.end.id,
            .hangUp,
            title,
            center: Point(box.right - side / 2, box.center.y),
            diameter: side,
            fill: ui.theme.danger,
            ink: .white
        )
    }
}
