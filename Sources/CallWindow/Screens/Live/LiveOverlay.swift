internal import AppFlow
internal import Basics
internal import LiveCore
internal import WindowKit

/// The overlay of a stream's video: the state of a stream that does not play, and the controls.
@WindowActor struct LiveOverlay {
    let model: LiveViewModel
    /// The radius of the video's corners, in points.
    var cornerRadius = 0.0
    let toggleFullScreen: () -> Void

    private var playback: LivePlayback { model.store.state }

    /// The state in a few words; nil while the stream plays.
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

    /// Draws the state over the video in `area`.
    func drawState(_ ui: Interface, in area: Box) {
        if playback.isStill { ui.painter.fill(area, radius: cornerRadius, Color(0x05070B, alpha: 150)) }
        switch playback.state {
        case .empty, .playing, .paused: break
        case .loading, .buffering, .offline(_, retryIn: nil):
            ui.spinner(Point(area.center.x, area.center.y - 60), diameter: 44, .white)
            notice(ui, area, note: "", button: nil)
        case .offline(let failure, _?): notice(ui, area, note: failure.message, button: "live.retry")
        case .notLive(let failure): notice(ui, area, note: failure.message, button: "live.retry")
        case .failed(let failure): notice(ui, area, note: failure.message, button: "live.retry")
        case .ended: notice(ui, area, note: "", button: "live.again")
        }
    }

    /// Draws the controls at the bottom of `area`.
    func drawBar(_ ui: Interface, in area: Box) {
        LiveBar(playback: playback, place: model.place).draw(ui, in: area) { button in
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

    /// Draws the state as text in the middle, with a button to open the stream again.
    private func notice(_ ui: Interface, _ area: Box, note: String, button: String?) {
        guard let headline = Self.headline(playback, ui.strings) else { return }
        let width = min(440, area.width - 2 * Space.huge)
        let shift = model.place == .small ? -40.0 : area.height < 300 && button != nil ? 0 : 44
        let middle = area.center.y + shift
        var rest = Box(center: Point(area.center.x, middle), width: width, height: 128)
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
}
