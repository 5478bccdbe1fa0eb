internal import CallFlow

// The controls of a call: round buttons at the bottom.

extension CallScreen {
    private struct Item {
        var id: ControlID
        var glyph: Glyph
        var name: String
        var isOn = false
        var action: () -> Void
    }

    private static let button = 48.0
    private static let smallButton = 40.0
    private static let places = 7

    private func isNarrow(_ ui: Interface) -> Bool { ui.area.width < 720 }

    private func gap(_ ui: Interface) -> Double { isNarrow(ui) ? Space.small : Space.medium }

    /// Computes the rows and columns of the buttons, including the one that ends the call, and their size.
    private func grid(_ ui: Interface) -> (rows: Int, columns: Int, side: Double) {
        guard isNarrow(ui) else { return (1, Self.places + 1, Self.button) }
        let room = ui.area.width - 2 * Space.small - 2 * Space.medium + gap(ui)
        func columns(_ side: Double) -> Int { min(Self.places + 1, max(1, Int(room / (side + gap(ui))))) }
        // Buttons become smaller before any of them is left out.
        let side = 2 * columns(Self.button) > Self.places ? Self.button : Self.smallButton
        return (columns(side) > Self.places ? 1 : 2, columns(side), side)
    }

    func bar(in ui: Interface) -> Box {
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

    func drawBar(_ ui: Interface, _ state: CallViewModel.State) {
        let bar = bar(in: ui)
        let (rows, columns, side) = grid(ui)
        ui.painter.fill(bar, radius: 36, Self.glass)
        var rest = bar.inset(x: Space.medium, y: Space.medium)
        var row = rest.takeTop(side, gap: Space.small)
        for (index, item) in shown(items(ui, state), rows * columns - 1).enumerated() {
            if index == columns { row = rest.takeTop(side) }
            draw(item, ui, row.takeLeft(side, gap: gap(ui)).center, side)
        }
        if row.width < 1 { row = rest }
        drawEnd(ui, row, isNarrow(ui) ? side : nil)
    }

    private func draw(_ item: Item, _ ui: Interface, _ center: Point, _ side: Double) {
        let isPressed = ui.iconButton(
            item.id,
            item.glyph,
            item.name,
            center: center,
            diameter: side,
            fill: item.isOn ? .white : Color(0xFFFFFF, alpha: 30),
            ink: item.isOn ? Color(0x151A23) : .white
        )
        if isPressed { item.action() }
    }

    /// Selects the most important controls for a narrow window, in the order of the full list.
    private func shown(_ items: [Item], _ count: Int) -> [Item] {
        let wanted: [ControlID] = [
            "call.mute", "call.camera", "call.full-screen", "call.record", "call.devices", "call.statistics",
            "call.snapshot",
        ]
        let kept = wanted.prefix(count)
        return items.filter { kept.contains($0.id) }
    }

    private func items(_ ui: Interface, _ state: CallViewModel.State) -> [Item] {
        let controls = state.controls
        let strings = ui.strings
        return [
            Item(
                id: "call.mute",
                glyph: controls.isMuted ? .mutedMicrophone : .microphone,
                name: strings[controls.isMuted ? "call.unmute" : "call.mute"],
                isOn: controls.isMuted
            ) { [self] in _ = perform(.toggleMute) },
            Item(
                id: "call.camera",
                glyph: controls.isCameraOff ? .closedCamera : .camera,
                name: strings[controls.isCameraOff ? "call.camera.on" : "call.camera.off"],
                isOn: controls.isCameraOff
            ) { [self] in _ = perform(.toggleCamera) },
            Item(
                id: "call.record",
                glyph: controls.recording == nil ? .record : .stop,
                name: strings[controls.recording == nil ? "call.record" : "call.record.stop"],
                isOn: controls.recording != nil
            ) { [self] in model.send(.toggleRecording) },
            Item(id: "call.snapshot", glyph: .snapshot, name: strings["call.snapshot"]) { [self] in
                model.send(.takeSnapshot)
            },
            Item(
                id: "call.devices",
                glyph: .settings,
                name: strings["call.devices"],
                isOn: choosesDevices
            ) { [self] in
                model.send(.listDevices)
                choosesDevices = true
                ui.focus.focus(nil, visibly: ui.focus.isVisible)
            },
            Item(
                id: "call.statistics",
                glyph: .statistics,
                name: strings["call.statistics"],
                isOn: showsStatistics
            ) { [self] in showsStatistics.toggle() },
            Item(
                id: "call.full-screen",
                glyph: ui.isFullScreen ? .smallScreen : .fullScreen,
                name: strings["call.full-screen"]
            ) { [self] in tell(.toggleFullScreen) },
        ]
    }

    /// Draws the button that ends the call: a disc of size `side`, or a button with a title if `side` is nil.
    private func drawEnd(_ ui: Interface, _ box: Box, _ side: Double?) {
        let title = ui.strings["call.end"]
        let isPressed: Bool
        if let side {
            isPressed = ui.iconButton(
                "call.end",
                .hangUp,
                title,
                center: Point(box.right - side / 2, box.center.y),
                diameter: side,
                fill: ui.theme.danger,
                ink: .white
            )
        } else {
            let place = Box(center: box.center, width: box.width, height: Self.button)
            isPressed = ui.button(
                "call.end",
                title,
                .danger,
                in: place,
                glyph: .hangUp,
                radius: Self.button / 2
            )
        }
        if isPressed, !perform(.hangUp) { tell(.hangUp) }
    }
}
