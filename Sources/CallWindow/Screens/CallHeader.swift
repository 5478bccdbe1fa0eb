internal import AppFlow
internal import CallCore
internal import WindowKit

/// The header at the top of the window, with the peer's name, the duration of the call, and the recording
/// dot.
@WindowActor struct CallHeader {
    private static let dot = 10.0

    /// The distance in points from the top of the window to the bottom of the header, even while it is
    /// hidden.
    static let bottom = Space.large + 36

    let state: CallViewModel.State

    /// Draws the name and the duration if the call is connected.
    func draw(_ ui: Interface) {
        guard state.isConnected else { return }
        let pill = pill(ui)
        ui.painter.fill(pill, radius: 18, .glass)
        var inside = pill.inset(x: Space.large, y: 0)
        if state.controls.recording != nil { _ = inside.takeLeft(Self.dot, gap: Space.small) }
        let time = clock
        let width = ui.painter.width(of: time, .captionStrong)
        let place = inside.takeRight(width, gap: Space.medium)
        ui.painter.text(time, in: place, .captionStrong, ui.theme.faint)
        ui.painter.text(name(ui), in: inside, .strong, ui.theme.text)
    }

    /// Draws the recording dot while the call is recorded, even if the controls are hidden.
    func drawRecording(_ ui: Interface) {
        guard state.controls.recording != nil, state.summary == nil else { return }
        let x = state.isConnected ? pill(ui).x + Space.large + Self.dot / 2 : ui.area.center.x
        let center = Point(x, Space.large + 18)
        ui.painter.disc(center, diameter: Self.dot + 8, .glass)
        ui.painter.disc(center, diameter: Self.dot, Color(0xFF4B4B))
    }

    private func pill(_ ui: Interface) -> Box {
        let words =
            ui.painter.width(of: name(ui), .strong) + Space.medium
            + ui.painter.width(of: clock, .captionStrong)
        let sign = state.controls.recording == nil ? 0 : Self.dot + Space.small
        let width = min(words + sign + 2 * Space.large + 1, ui.area.width - 2 * Space.large)
        return Box(center: Point(ui.area.center.x, Space.large + 18), width: width, height: 36)
    }

    private func name(_ ui: Interface) -> String {
        ui.strings.name(ofPeer: state.peer)
    }

    private var clock: String {
        (state.heldSince.map { ContinuousClock.now - $0 } ?? .zero).clock
    }
}
