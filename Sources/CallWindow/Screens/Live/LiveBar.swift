internal import AppFlow
internal import Basics
internal import LiveCore
internal import WindowKit

extension Shortcut {
    /// Whether the key controls the stream of the app.
    var controlsStream: Bool {
        switch self {
        case .m, .plus, .minus, .p: true
        case .escape, .q, .v: false
        }
    }
}

/// The controls of a stream: round buttons at the bottom, with the position between them.
@WindowActor struct LiveBar {
    enum Button: String, CaseIterable {
        case pause, sound, edge, small
        case fullScreen = "full-screen"
        case back

        var id: ControlID { ControlID("live.\(rawValue)") }
    }

    /// The controls, for the keyboard focus.
    static let controls = Button.allCases.map(\.id)

    private static let side = 44.0
    /// The distance to the newest frame from which the button to the live edge is shown.
    private static let late = Duration.seconds(4)

    let playback: LivePlayback
    let place: LiveViewModel.Place

    private var buttons: [Button] {
        let first: [Button] = [.pause, .sound] + (isLate ? [.edge] : [])
        return switch place {
        case .app: first + [.small, .fullScreen]
        case .small: first + [.back]
        case .alone: first + [.fullScreen]
        }
    }

    private var isLive: Bool { playback.format?.isLive == true }

    private var isLate: Bool {
        guard isLive else { return false }
        switch playback.state {
        case .paused: return true
        case .playing, .buffering: return playback.progress.behind.map { $0 > Self.late } ?? false
        case .empty, .loading, .offline, .notLive, .ended, .failed: return false
        }
    }

    /// Draws the bar at the bottom of `area`, and calls `press` with the button that the user presses.
    func draw(_ ui: Interface, in area: Box, _ press: (Button) -> Void) {
        let position = position(ui.strings)
        let words = ui.painter.width(of: position, .captionStrong) + 1
        let buttons = buttons
        let width =
            Double(buttons.count) * (Self.side + Space.small) + words + Space.small + 2 * Space.medium
        let bar = Box(
            center: Point(area.center.x, area.bottom - Space.large - 34),
            width: min(width, area.width - 2 * Space.small),
            height: 68
        )
        ui.painter.fill(bar, radius: 34, .glass)
        var rest = bar.inset(x: Space.medium, y: Space.medium)
        for button in buttons.dropLast() {
            if draw(button, ui, rest.takeLeft(Self.side, gap: Space.small).center) { press(button) }
        }
        if let last = buttons.last, draw(last, ui, rest.takeRight(Self.side, gap: Space.small).center) {
            press(last)
        }
        ui.painter.text(position, in: rest, .captionStrong, ui.theme.text, .center)
    }

    private func draw(_ button: Button, _ ui: Interface, _ center: Point) -> Bool {
        let (glyph, name) = look(of: button, ui)
        return ui.iconButton(
            button.id,
            glyph,
            name,
            center: center,
            diameter: Self.side,
            fill: Color(0xFFFFFF, alpha: 30),
            ink: .white
        )
    }

    private func look(of button: Button, _ ui: Interface) -> (Glyph, String) {
        let strings = ui.strings
        switch button {
        case .pause:
            return playback.canPause ? (.pause, strings["live.pause"]) : (.play, strings["live.play"])
        case .sound:
            let isMuted = playback.options.audio.isMuted
            return (
                isMuted ? .mutedSpeaker : .speaker, strings[isMuted ? "live.unmute" : "live.mute"] + " (M)"
            )
        case .edge: return (.skip, strings["live.edge"])
        case .small: return (.smallPicture, strings["live.small"] + " (P)")
        case .back: return (.largePicture, strings["live.back"] + " (P)")
        case .fullScreen:
            return (ui.isFullScreen ? .smallScreen : .fullScreen, strings["call.full-screen"] + " (F)")
        }
    }

    /// The position as text: “live”, or the times of a file.
    private func position(_ strings: Strings) -> String {
        guard playback.format != nil else { return "" }
        if isLive {
            guard let latency = playback.progress.latency else { return strings["live.live"] }
            let seconds = (latency / .seconds(1) * 10).rounded() / 10
            return strings["live.live"] + " · " + strings("live.latency", ["seconds": "\(seconds)"])
        }
        let position = playback.progress.position.clock
        return playback.progress.duration.map { "\(position) / \($0.clock)" } ?? position
    }
}
