internal import AppFlow
internal import Basics
internal import LiveCore
internal import WindowKit

/// The overlay on a stream's video: its state if it does not play, and the controls.
@WindowActor struct LiveOverlay {
    let model: LiveViewModel
    /// The radius of the video's corners, in points.
    var cornerRadius = 0.0
    let toggleFullScreen: () -> Void

    private var playback: LivePlayback { model.store.state }

    /// Describes the state in a few words; nil while the stream plays, or if there is none.
    static func headline(_ playback: LivePlayback, _ strings: Strings) -> String? {
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

    /// The video height in points below which a compact layout is used.
    private static let low = 240.0

    private var bar: LiveBar { LiveBar(playback: playback, place: model.place) }

    /// Draws the state over the video in `area`.
    func drawState(_ ui: Interface, in area: Box) {
        if playback.isStill { ui.painter.fill(area, radius: cornerRadius, Color(0x05070B, alpha: 150)) }
        switch playback.state {
        case .empty, .playing, .paused: break
        case .loading, .buffering: drawWaiting(ui, area, hasBar: true)
        case .offline(_, retryIn: nil): drawWaiting(ui, area, hasBar: model.place != .app)
        case .offline(let failure, _?): notice(ui, area, failure, button: "live.retry")
        case .notLive(let failure): notice(ui, area, failure, button: "live.retry")
        case .failed(let failure): notice(ui, area, failure, button: "live.retry")
        case .ended: notice(ui, area, nil, button: "live.again")
        }
    }

    private func drawWaiting(_ ui: Interface, _ area: Box, hasBar: Bool) {
        guard area.height < Self.low else {
            ui.spinner(Point(area.center.x, area.center.y - 60), diameter: 44, .white)
            return notice(ui, area, nil, button: nil)
        }
        let free = hasBar ? bar.rest(of: area) : area
        let text = Self.headline(playback, ui.strings) ?? ""
        let height = 28 + Space.tiny + 22
        var rest = Box(center: free.center, width: free.width - 2 * Space.small, height: height)
        // If there is no space for both, the text is omitted.
        guard height <= free.height else {
            return ui.spinner(free.center, diameter: min(28, max(12, free.height - 4)), .white)
        }
        ui.spinner(rest.takeTop(28, gap: Space.tiny).center, diameter: 28, .white)
        ui.painter.text(text, in: rest, .strong, ui.theme.text, .center)
    }

    /// Draws the controls at the bottom of `area`.
    func drawBar(_ ui: Interface, in area: Box) {
        bar.draw(ui, in: area) { button in
            switch button {
            case .pause: model.togglePause()
            case .sound: model.toggleSound()
            case .edge: model.send(.seek(.liveEdge))
            case .small: model.setSmall(true)
            case .fullScreen: toggleFullScreen()
            case .back: model.setSmall(false)
            }
        }
    }

    /// Draws the state as text in the middle, with an optional button that opens the stream again.
    private func notice(_ ui: Interface, _ area: Box, _ failure: LiveFailure?, button: String?) {
        guard let headline = Self.headline(playback, ui.strings) else { return }
        let note = failure.map { ui.strings.sentence(of: $0, playback) } ?? ""
        if area.height < Self.low {
            let free = model.place == .app ? area : bar.rest(of: area)
            return lowNotice(ui, free, headline, note, button: button)
        }
        let width = min(440, area.width - 2 * Space.huge)
        let shift = model.place == .small ? -40.0 : area.height < 300 && button != nil ? 0 : 44
        let middle = area.center.y + shift
        var rest = Box(center: Point(area.center.x, middle), width: width, height: 128)
        let gap = note.isEmpty ? Space.large : Space.tiny
        ui.painter.text(headline, in: rest.takeTop(28, gap: gap), .title, ui.theme.text, .center)
        if !note.isEmpty {
            let lines = rest.takeTop(44, gap: Space.small)
            ui.painter.paragraph(note, in: lines, .caption, ui.theme.faint, .center, limit: 2)
        }
        guard let button else { return }
        press(ui, ui.strings[button], in: rest.takeTop(Interface.buttonHeight))
    }

    /// Draws the state in the compact layout: the reason and the button take precedence over the headline.
    private func lowNotice(
        _ ui: Interface,
        _ area: Box,
        _ headline: String,
        _ note: String,
        button: String?
    ) {
        let inside = area.inset(x: Space.small, y: Space.tiny)
        let low = button == nil ? 0 : min(36, inside.height)
        let space = inside.height - low - Space.small
        let head = ui.painter.height(of: headline, .strong, width: inside.width, limit: 2)
        let line = TypeStyle.caption.lineHeight
        let most = max(1, Int(space / line))
        let full = ui.painter.height(of: note, .caption, width: inside.width, limit: most)
        let hasHead = note.isEmpty || head + full <= space
        let height = min(space, (hasHead ? head : 0) + full)
        var rest = Box(center: inside.center, width: inside.width, height: height + Space.small + low)
        if space >= line {
            if hasHead {
                let place = rest.takeTop(min(head, height))
                ui.painter.paragraph(headline, in: place, .strong, ui.theme.text, .center, limit: 2)
            }
            let place = rest.takeTop(height - (hasHead ? head : 0))
            ui.painter.paragraph(note, in: place, .caption, ui.theme.text, .center, limit: most)
        }
        if let button { press(ui, ui.strings[button], in: rest.takeBottom(low)) }
    }

    /// Draws the button that opens the stream again.
    private func press(_ ui: Interface, _ title: String, in place: Box) {
        let width = min(ui.buttonWidth(title), place.width)
        let box = Box(center: place.center, width: width, height: place.height)
        if ui.button("live.retry", title, in: box) { model.send(.retry) }
    }
}
