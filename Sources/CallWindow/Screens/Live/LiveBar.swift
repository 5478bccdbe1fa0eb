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

/// The controls of a stream: round buttons at the bottom, and the playback position between them.
@WindowActor struct LiveBar {
    enum Button: String, CaseIterable {
        case pause, sound, edge, small
        case fullScreen = "full-screen"
        case back

        var id: ControlID { ControlID("live.\(rawValue)") }
    }

    /// The IDs of the controls, to detect the keyboard focus.
    static let controls = Button.allCases.map(\.id)

    private static let side = 44.0
    /// The delay behind the newest frame above which the button to the live edge is shown.
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

    /// The dimensions of the bar, which are reduced if the standard ones do not fit.
    @WindowActor private struct Measures {
        var side = LiveBar.side
        var gap = Space.small
        var padding = Space.medium
        var margin = Space.large

        var height: Double { side + 2 * padding }

        func width(of count: Int) -> Double { Double(count) * (side + gap) - gap + 2 * padding }
    }

    /// The video height in points below which the dimensions of the bar are reduced.
    private static let low = 200.0

    private func measures(in area: Box) -> Measures {
        var measures = Measures()
        let (count, width) = (buttons.count, area.width - 2 * Space.small)
        guard area.height < Self.low || measures.width(of: count) > width else { return measures }
        (measures.gap, measures.padding, measures.margin) = (Space.tiny, Space.tiny + 2, Space.small)
        let free = width - 2 * measures.padding - Double(count - 1) * measures.gap
        measures.side = min(36, max(20, free / Double(count)))
        return measures
    }

    /// Returns the part of `area` above the bar.
    func rest(of area: Box) -> Box {
        let measures = measures(in: area)
        var rest = area
        _ = rest.takeBottom(measures.height + measures.margin)
        return rest
    }

    /// Draws the bar at the bottom of `area`, and calls `press` with the button that the user presses.
    func draw(_ ui: Interface, in area: Box, _ press: (Button) -> Void) {
        let (buttons, measures) = (buttons, measures(in: area))
        let (free, needed) = (area.width - 2 * Space.small, measures.width(of: buttons.count))
        // A text that does not fit is left out: its beginning alone means nothing.
        let texts = positions(ui.strings).map { ($0, ui.painter.width(of: $0, .captionStrong) + 1) }
        let (position, words) = texts.first { needed + measures.gap + $0.1 <= free } ?? ("", 0)
        let bar = Box(
            center: Point(area.center.x, area.bottom - measures.margin - measures.height / 2),
            width: min(needed + (words > 0 ? words + Space.small : 0), free),
            height: measures.height
        )
        ui.painter.fill(bar, radius: measures.height / 2, .glass)
        var rest = bar.inset(x: measures.padding, y: measures.padding)
        let side = measures.side
        for button in buttons.dropLast() {
            let place = rest.takeLeft(side, gap: measures.gap)
            if draw(button, ui, place.center, side) { press(button) }
        }
        if let last = buttons.last {
            let place = rest.takeRight(side, gap: measures.gap)
            if draw(last, ui, place.center, side) { press(last) }
        }
        ui.painter.text(position, in: rest, .captionStrong, ui.theme.text, .center)
    }

    private func draw(_ button: Button, _ ui: Interface, _ center: Point, _ side: Double) -> Bool {
        let (glyph, name) = look(of: button, ui)
        return ui.iconButton(
            button.id,
            glyph,
            name,
            center: center,
            diameter: side,
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

    /// The texts for the playback position, the most detailed first: “live” with the latency, or the times of a file.
    private func positions(_ strings: Strings) -> [String] {
        guard playback.format != nil else { return [] }
        if isLive {
            let live = strings["live.live"]
            guard let latency = playback.progress.latency else { return [live] }
            let seconds = (latency / .seconds(1) * 10).rounded() / 10
            return [live + " · " + strings("live.latency", ["seconds": "\(seconds)"]), live]
        }
        let position = playback.progress.position.clock
        return (playback.progress.duration.map { ["\(position) / \($0.clock)"] } ?? []) + [position]
    }
}
