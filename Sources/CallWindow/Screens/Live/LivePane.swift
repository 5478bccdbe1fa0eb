internal import AppFlow
internal import Basics
internal import LiveCore
internal import WindowKit

/// The video of the app's live stream: at the top of Home, and as a mini player above the other destinations.
///
/// There is one for the whole window, so that navigation only moves its rectangle.
@WindowActor final class LivePane {
    /// The minimum width of the mini player in points, if the window is wide enough.
    private static let leastMini = 160.0
    /// The width of the settings page's column, beside which the mini player is placed if there is enough space.
    private static let widestColumn = 520.0
    /// The duration in seconds of the animation between Home and the corner.
    static let travel = 0.25

    let texture: VideoTexture
    private let shell: AppShell
    private let model: LiveViewModel
    private let home: HomeViewModel
    private let toggleFullScreen: () -> Void
    private var corner = (isRight: true, isLow: true)
    /// The position of the pointer when it pressed the mini player, in the window and relative to the player's top left
    /// corner; nil while the player is not held.
    private var grip: (pointer: Point, offset: Point)?
    private var isDragged = false
    /// Whether the controls on Home are shown.
    private var isAwake = true
    private var lastActivity: Double?
    /// The rectangle of the video in the last frame; nil if it was not drawn.
    private(set) var box: Box?
    /// The time at which the controls disappear without an event; nil for never.
    private(set) var changesAt: Double?

    init(_ texture: VideoTexture, _ shell: AppShell, _ live: LiveFlow, toggleFullScreen: @escaping () -> Void)
    {
        (self.texture, self.shell, self.toggleFullScreen) = (texture, shell, toggleFullScreen)
        (home, model) = (live.model, live.model.live)
    }

    func draw(_ ui: Interface, on screen: Screen?) {
        changesAt = nil
        box = nil
        let isHome = screen?.destination == .home
        let playback = model.store.state
        let isElsewhere = playback.address == nil || model.isSmall.state || Self.isOnlyBlack(playback)
        guard let screen, screen.hasBar, isHome || !isElsewhere else {
            return (grip, isDragged) = (nil, false)
        }
        let small = ui.motion.value("live", "place", towards: isHome ? 0 : 1, lasting: Self.travel)
        let place = HomeScreen.stage(ui).mixed(with: miniPlace(ui), share: small)
        box = place
        drawVideo(ui, place, playback, share: small)
        if model.isSmall.state { return drawAbsence(ui, place) }
        if isHome { drawLarge(ui, place, playback) } else { drawMini(ui, place, playback) }
    }

    /// Whether the stream has failed before its first frame, in which case only Home shows the failure.
    private static func isOnlyBlack(_ playback: LivePlayback) -> Bool {
        guard playback.format == nil else { return false }
        switch playback.state {
        case .failed, .notLive: return true
        case .empty, .loading, .playing, .paused, .buffering, .offline, .ended: return false
        }
    }

    /// Whether the pointer is hidden, because it has not moved in full-screen mode for a while.
    func hidesPointer(_ ui: Interface, on screen: Screen?) -> Bool {
        ui.isFullScreen && screen?.destination == .home && !isAwake
    }

    private func drawVideo(_ ui: Interface, _ box: Box, _ playback: LivePlayback, share: Double) {
        let radius = ui.isFullScreen && share == 0 ? 0 : Corner.medium
        if share > 0 {
            ui.painter.shadow(of: box, radius: Corner.medium, height: 14 * share, ui.theme.shadow)
        }
        ui.painter.fill(box, radius: radius, Color(0x05070B))
        // A frame of the previous stream may still be there.
        guard texture.size != nil, playback.format?.resolution != nil, !model.isSmall.state else { return }
        ui.painter.video(texture, in: box, radius: radius)
    }

    // MARK: - Home

    private func drawLarge(_ ui: Interface, _ box: Box, _ playback: LivePlayback) {
        let theme = ui.theme
        ui.theme = .dark
        defer { ui.theme = theme }
        (grip, isDragged) = (nil, false)
        if playback.state == .empty {
            guard !home.store.state.isStarting else {
                return ui.spinner(box.center, diameter: 44, .white)
            }
            let line = Box(center: box.center, width: box.width - 2 * Space.large, height: 22)
            return ui.painter.text(ui.strings["live.empty"], in: line, .body, ui.theme.faint, .center)
        }
        let radius = ui.isFullScreen ? 0 : Corner.medium
        let overlay = LiveOverlay(model: model, cornerRadius: radius, toggleFullScreen: toggleFullScreen)
        overlay.drawState(ui, in: box)
        isAwake = updateTimes(ui, box, playback)
        let chrome = ui.motion.value("live", "chrome", towards: isAwake ? 1 : 0)
        switch playback.state {
        case .loading, .playing, .paused, .buffering:
            ui.painter.opacity = chrome
            overlay.drawBar(ui, in: box)
            ui.painter.opacity = 1
        case .empty, .offline, .notLive, .ended, .failed: break
        }
        if playback.state == .playing, playback.options.audio.isMuted { drawMutedSign(ui, box) }
    }

    /// Draws the notice that the small window shows the stream, with a button that moves it back.
    private func drawAbsence(_ ui: Interface, _ box: Box) {
        let theme = ui.theme
        ui.theme = .dark
        defer { ui.theme = theme }
        (grip, isDragged, isAwake, lastActivity) = (nil, false, true, nil)
        let title = ui.strings["live.back"]
        var rest = Box(center: box.center, width: box.width - 2 * Space.large, height: 88)
        let line = rest.takeTop(24, gap: Space.medium)
        ui.painter.text(ui.strings["live.away"], in: line, .body, ui.theme.faint, .center)
        let place = rest.takeTop(Interface.buttonHeight)
        let button = Box(center: place.center, width: ui.buttonWidth(title), height: place.height)
        if ui.button("live.back", title, .secondary, in: button) { model.setSmall(false) }
    }

    /// Draws the button that unmutes the stream.
    private func drawMutedSign(_ ui: Interface, _ box: Box) {
        // If there is little space, only the icon is shown.
        let whole = [ui.strings["live.muted"], ui.strings["live.muted.short"]]
            .map { ($0, ui.painter.width(of: $0, .captionStrong) + 20 + 3 * Space.small) }
            .first { $1 <= box.width - 2 * Space.small }
        let (text, width) = whole ?? ("", 20 + 2 * Space.small)
        let pill = Box(x: box.x + Space.small, y: box.y + Space.small, width: width, height: 32)
        let control = ui.control("live.muted", pill)
        // Opaque, because the video may contain text there.
        ui.painter.fill(pill, radius: 16, Color(0x05070B))
        var rest = pill.inset(x: Space.small, y: 0)
        ui.painter.glyph(.mutedSpeaker, center: rest.takeLeft(20, gap: Space.small).center, size: 18, .white)
        ui.painter.text(text, in: rest, .captionStrong, .white)
        ui.focusRing(control, "live.muted", around: pill, radius: 16)
        if control.wasClicked { model.toggleSound() }
    }

    /// Computes whether the controls are shown, and when they disappear.
    private func updateTimes(_ ui: Interface, _ box: Box, _ playback: LivePlayback) -> Bool {
        let now = ui.motion.time
        let isOver = ui.pointer.map(box.contains) ?? false
        let hasFocus = ui.focus.isVisible && ui.focus.focused.map { LiveBar.controls.contains($0) } ?? false
        if lastActivity == nil || isOver && ui.event != nil || hasFocus { lastActivity = now }
        let sleepsAt = (lastActivity ?? now) + CallScreen.rest
        let isWatched = playback.state == .playing && texture.size != nil && !hasFocus
        if isWatched, now < sleepsAt { changesAt = sleepsAt }
        return !isWatched || now < sleepsAt
    }

    // MARK: - Mini player

    /// Computes the rectangle of the mini player: in its corner, or where the user drags it.
    private func miniPlace(_ ui: Interface) -> Box {
        var page = ui.pageArea
        _ = page.takeTop(ui.strips.top)
        _ = page.takeBottom(ui.strips.bottom)
        var width = min(max(Self.leastMini, page.width * 0.3), 320, max(1, page.width * 0.45))
        // If there is enough space beside the pages' columns, the mini player covers none of their controls.
        let beside = (page.width - Self.widestColumn) / 2 - 2 * Space.medium
        if beside >= Self.leastMini { width = min(width, beside) }
        let height = width * 9 / 16
        let free = (
            x: max(0, page.width - width - 2 * Space.medium),
            y: max(0, page.height - height - 2 * Space.medium)
        )
        var (x, y) = (corner.isRight ? 1.0 : 0, corner.isLow ? 1.0 : 0)
        let isHeld = isDragged && ui.isHeld("live.mini")
        if isHeld, let grip, let pointer = ui.pointer {
            x = free.x > 0 ? min(max(0, (pointer.x - grip.offset.x - Space.medium) / free.x), 1) : 0
            y = free.y > 0 ? min(max(0, (pointer.y - grip.offset.y - page.y - Space.medium) / free.y), 1) : 0
            corner = (x >= 0.5, y >= 0.5)
        }
        let lasting = isHeld ? 0 : Self.travel
        x = ui.motion.value("live.mini", "x", towards: x, lasting: lasting)
        y = ui.motion.value("live.mini", "y", towards: y, lasting: lasting)
        return Box(
            x: Space.medium + x * free.x,
            y: page.y + Space.medium + y * free.y,
            width: width,
            height: height
        )
    }

    private func drawMini(_ ui: Interface, _ box: Box, _ playback: LivePlayback) {
        let control = ui.control("live.mini", box)
        if playback.isStill { ui.painter.fill(box, radius: Corner.medium, Color(0x05070B, alpha: 150)) }
        let isOver = ui.pointer.map(box.contains) ?? false
        let hasFocus = ui.focus.isVisible && ui.focus.focused.map { Self.buttons.contains($0) } ?? false
        let chrome = ui.motion.value("live.mini", "chrome", towards: isOver || hasFocus ? 1 : 0)
        // The buttons replace the icon of the state, because there is no space for both.
        ui.painter.opacity = 1 - chrome
        switch playback.state {
        case .loading, .buffering, .offline(_, retryIn: nil): ui.spinner(box.center, diameter: 28, .white)
        case .offline, .notLive, .failed, .ended:
            ui.painter.glyph(.notice, center: box.center, size: 28, .white)
        case .empty, .playing, .paused: break
        }
        ui.painter.opacity = chrome
        let plays = playback.canPause
        let row = Box(x: box.right - 72, y: box.y + Space.tiny, width: 68, height: 32).columns(
            2,
            gap: Space.tiny
        )
        let isPaused = button(
            ui,
            "live.mini.pause",
            plays ? .pause : .play,
            ui.strings[plays ? "live.pause" : "live.play"],
            row[0]
        )
        let isClosed = button(ui, "live.mini.close", .cross, ui.strings["live.close"], row[1])
        ui.painter.opacity = 1
        ui.focusRing(control, "live.mini", around: box, radius: Corner.medium)
        followDrag(ui, box)
        let isClicked = control.wasClicked && !isDragged
        if !ui.isHeld("live.mini") { (grip, isDragged) = (nil, false) }
        if isPaused { model.togglePause() }
        if isClosed { model.send(.select(nil)) }
        if isClicked { shell.show(.home) }
    }

    private static let buttons: [ControlID] = ["live.mini", "live.mini.pause", "live.mini.close"]

    private func button(_ ui: Interface, _ id: ControlID, _ glyph: Glyph, _ name: String, _ box: Box) -> Bool
    {
        ui.iconButton(
            id,
            glyph,
            name,
            center: box.center,
            diameter: 32,
            fill: Color(0x05070B, alpha: 170),
            ink: .white
        )
    }

    /// Records where the mini player is held, and whether it is being dragged.
    private func followDrag(_ ui: Interface, _ box: Box) {
        guard let pointer = ui.pointer, ui.isHeld("live.mini") else { return }
        let grip = self.grip ?? (pointer, Point(pointer.x - box.x, pointer.y - box.y))
        self.grip = grip
        if abs(pointer.x - grip.pointer.x) + abs(pointer.y - grip.pointer.y) > 6 { isDragged = true }
    }
}

extension Box {
    /// Interpolates between this box (`share` 0) and another (`share` 1).
    fileprivate func mixed(with other: Box, share: Double) -> Box {
        func mix(_ own: Double, _ other: Double) -> Double { own + (other - own) * share }
        return Box(
            x: mix(x, other.x),
            y: mix(y, other.y),
            width: mix(width, other.width),
            height: mix(height, other.height)
        )
    }
}
