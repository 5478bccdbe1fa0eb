internal import CallCore
internal import CallFlow

// The peer's name, the duration of the call, and the recording dot.

extension CallScreen {
    private static let dot = 10.0

    static let glass = Color(0x0B0E14, alpha: 200)

    private func isHeld(_ state: CallViewModel.State) -> Bool {
        state.call == .connected && state.summary == nil
    }

    func drawTop(_ ui: Interface, _ state: CallViewModel.State) {
        guard isHeld(state) else { return }
        let pill = pill(ui, state)
        ui.painter.fill(pill, radius: 18, Self.glass)
        var inside = pill.inset(x: Space.large, y: 0)
        if state.controls.recording != nil { _ = inside.takeLeft(Self.dot, gap: Space.small) }
        let time = clock(state)
        let width = ui.painter.width(of: time, .captionStrong)
        let place = inside.takeRight(width, gap: Space.medium)
        ui.painter.text(time, in: place, .captionStrong, ui.theme.faint)
        ui.painter.text(name(ui, state), in: inside, .strong, ui.theme.text)
    }

    /// Draws the recording dot while the call is recorded, even if the controls are hidden.
    func drawRecording(_ ui: Interface, _ state: CallViewModel.State) {
        guard state.controls.recording != nil, state.summary == nil else { return }
        let x = isHeld(state) ? pill(ui, state).x + Space.large + Self.dot / 2 : ui.area.center.x
        let center = Point(x, Space.large + 18)
        ui.painter.disc(center, diameter: Self.dot + 8, Self.glass)
        ui.painter.disc(center, diameter: Self.dot, Color(0xFF4B4B))
    }

    private func pill(_ ui: Interface, _ state: CallViewModel.State) -> Box {
        let words =
            ui.painter.width(of: name(ui, state), .strong) + Space.medium
            + ui.painter.width(of: clock(state), .captionStrong)
        let sign = state.controls.recording == nil ? 0 : Self.dot + Space.small
        let width = min(words + sign + 2 * Space.large + 1, ui.area.width - 2 * Space.large)
        return Box(center: Point(ui.area.center.x, Space.large + 18), width: width, height: 36)
    }

    private func name(_ ui: Interface, _ state: CallViewModel.State) -> String {
        state.peer ?? ui.strings["common.peer"]
    }

    private func clock(_ state: CallViewModel.State) -> String {
        let seconds = state.heldSince.map { Int((ContinuousClock.now - $0).components.seconds) } ?? 0
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return hours > 0
            ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(two(minutes)):\(two(seconds % 60))"
    }
}
