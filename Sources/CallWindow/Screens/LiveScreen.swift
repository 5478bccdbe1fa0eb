internal import AppFlow
internal import Basics
internal import LiveCore
internal import WindowKit

/// The screen of a live stream: its video in the whole window, and the controls.
///
/// The controls fade out when the user has made no input for a while.
@WindowActor final class LiveScreen: ScreenView {
    private let model: LiveViewModel
    private let toggleFullScreen: () -> Void
    private var video = CallVideo()
    private var lastActivity: Double?
    private var isAwake = true
    private(set) var changesAt: Double?

    init(model: LiveViewModel, toggleFullScreen: @escaping () -> Void) {
        (self.model, self.toggleFullScreen) = (model, toggleFullScreen)
    }

    var showsVideo: Bool { true }
    var showsPointer: Bool { isAwake }

    func show(_ video: CallVideo) { self.video = video }

    func title(_ strings: Strings) -> WindowTitle {
        let playback = model.store.state
        return WindowTitle(parts: [playback.name, Self.headline(playback, strings) ?? ""])
    }

    func accepts(_ key: Shortcut) -> Bool { key != .v }

    func press(_ key: Shortcut) { model.press(key) }

    func draw(_ ui: Interface) {
        let theme = ui.theme
        ui.theme = .dark
        defer { ui.theme = theme }
        let playback = model.store.state
        updateTimes(ui, playback)
        if playback.isStill { ui.painter.fill(ui.area, Color(0x05070B, alpha: 150)) }
        drawState(ui, playback)
        let chrome = ui.motion.value("live", "chrome", towards: isAwake ? 1 : 0)
        ui.painter.opacity = chrome
        drawName(ui, playback)
        LiveBar(playback: playback).draw(ui) { perform($0) }
        ui.painter.opacity = 1
    }

    func drawSheets(_ ui: Interface) {
        if !ui.focus.isVisible, ui.consumes(.space) { model.togglePause() }
    }

    private func perform(_ button: LiveBar.Button) {
        switch button {
        case .pause: model.togglePause()
        case .sound: model.toggleSound()
        case .edge: model.send(.seek(.liveEdge))
        case .fullScreen: toggleFullScreen()
        }
    }

    /// The state in a few words; nil while the stream plays or is paused.
    private static func headline(_ playback: LivePlayback, _ strings: Strings) -> String? {
        switch playback.state {
        case .empty, .playing: nil
        case .paused: strings["live.paused"]
        case .loading: strings["live.loading"]
        case .buffering: strings["live.buffering"]
        case .offline: strings["live.offline"]
        case .notLive: strings["live.not-live"]
        case .ended: strings["live.ended"]
        case .failed: strings["live.failed"]
        }
    }

    // MARK: - State

    private func drawState(_ ui: Interface, _ playback: LivePlayback) {
        switch playback.state {
        case .empty, .playing, .paused: break
        case .loading, .buffering, .offline(_, retryIn: nil):
            ui.spinner(Point(ui.area.center.x, ui.area.center.y - 60), diameter: 44, .white)
            notice(ui, playback, note: "", button: nil)
        case .offline(let failure, _?):
            notice(ui, playback, note: failure.message, button: "live.retry")
        case .notLive(let failure): notice(ui, playback, note: failure.message, button: "live.retry")
        case .failed(let failure): notice(ui, playback, note: failure.message, button: "live.retry")
        case .ended: notice(ui, playback, note: "", button: "live.again")
        }
    }

    /// Draws the state as text in the middle of the window, with a button to open the stream again.
    private func notice(_ ui: Interface, _ playback: LivePlayback, note: String, button: String?) {
        guard let headline = Self.headline(playback, ui.strings) else { return }
        let width = min(440, ui.area.width - 2 * Space.huge)
        var rest = Box(center: Point(ui.area.center.x, ui.area.center.y + 44), width: width, height: 128)
        let gap = note.isEmpty ? Space.large : Space.tiny
        ui.painter.text(headline, in: rest.takeTop(28, gap: gap), .title, ui.theme.text, .center)
        if !note.isEmpty {
            ui.painter.paragraph(
                note,
                in: rest.takeTop(44, gap: Space.small),
                .caption,
                ui.theme.faint,
                .center,
                limit: 2
            )
        }
        guard let button else { return }
        let title = ui.strings[button]
        let place = rest.takeTop(Interface.buttonHeight)
        let box = Box(center: place.center, width: ui.buttonWidth(title), height: place.height)
        if ui.button("live.retry", title, in: box) { model.send(.retry) }
    }

    private func drawName(_ ui: Interface, _ playback: LivePlayback) {
        let name = playback.name
        guard !name.isEmpty else { return }
        let width = min(
            ui.painter.width(of: name, .strong) + 2 * Space.large + 1,
            ui.area.width - 2 * Space.large
        )
        let pill = Box(center: Point(ui.area.center.x, Space.large + 18), width: width, height: 36)
        ui.painter.fill(pill, radius: 18, .glass)
        ui.painter.text(name, in: pill.inset(x: Space.large, y: 0), .strong, ui.theme.text, .center)
    }

    // MARK: - Time

    /// Computes whether the controls are shown, and when they disappear without an event.
    private func updateTimes(_ ui: Interface, _ playback: LivePlayback) {
        let now = ui.motion.time
        if ui.event != nil || lastActivity == nil { lastActivity = now }
        let sleepsAt = (lastActivity ?? now) + CallScreen.rest
        let isWatched = playback.state == .playing && video.remote != nil
        isAwake = !isWatched || now < sleepsAt
        changesAt = isAwake && isWatched ? sleepsAt : nil
    }
}
