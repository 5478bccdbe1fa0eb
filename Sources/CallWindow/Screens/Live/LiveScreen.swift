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
    // Hiding the pointer would hide it in all windows of the app, so the small window does not.
    var showsPointer: Bool { isAwake || model.place == .small }

    func show(_ video: CallVideo) { self.video = video }

    func title(_ strings: Strings) -> WindowTitle {
        let playback = model.store.state
        return WindowTitle(parts: [playback.name, LiveOverlay.headline(playback, strings) ?? ""])
    }

    func accepts(_ key: Shortcut) -> Bool { key != .v && (key != .p || model.place == .small) }

    func press(_ key: Shortcut) { model.press(key) }

    func draw(_ ui: Interface) {
        let theme = ui.theme
        ui.theme = .dark
        defer { ui.theme = theme }
        let playback = model.store.state
        updateTimes(ui, playback)
        let overlay = LiveOverlay(model: model, toggleFullScreen: toggleFullScreen)
        overlay.drawState(ui, in: ui.area)
        let chrome = ui.motion.value("live", "chrome", towards: isAwake ? 1 : 0)
        ui.painter.opacity = chrome
        if model.place != .small { drawName(ui, playback) }
        overlay.drawBar(ui, in: ui.area)
        ui.painter.opacity = 1
    }

    func drawSheets(_ ui: Interface) {
        if !ui.focus.isVisible, ui.consumes(.space) { model.togglePause() }
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
