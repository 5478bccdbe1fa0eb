internal import AppFlow
internal import ChatCore
internal import WindowKit

/// The view of a playable audio file in a bubble: a play button, the progress, the times, and a save button.
@WindowActor struct SoundView {
    static let height = 60.0
    private static let button = 40.0

    /// The name of the file, or its kind if it has no name.
    let title: String
    /// The line with the file's type and size, or the result of saving it.
    let note: String
    let isSaving: Bool
    /// The playback state if this is the current audio; nil otherwise.
    let sound: ChatSound?

    enum Press: Hashable { case toggle, seek(Double), save }

    func draw(_ ui: Interface, _ id: ControlID, in box: Box, ink: Color, faint: Color) -> Press? {
        var (rest, press) = (box, Press?.none)
        let play = rest.takeLeft(Self.button, gap: Space.small).center
        let save = rest.takeRight(32, gap: Space.tiny).center
        if drawButton(ui, id.child(0), play, ink) { press = .toggle }
        if isSaving {
            ui.spinner(save, diameter: 18, ink)
        } else if ui.iconButton(
            id.child(1),
            .folder,
            ui.strings["chat.file.save"],
            center: save,
            diameter: 32,
            ink: faint
        ) {
            press = .save
        }
        var lines = Box(center: rest.center, width: rest.width, height: 54)
        ui.painter.text(title, in: lines.takeTop(20), .strong, ink)
        let track = lines.takeTop(16).inset(x: 6, y: 0)
        let share = ui.track(
            id.child(2),
            sound?.share ?? 0,
            in: track,
            ink: ink,
            isEnabled: sound?.canBeMoved ?? false
        )
        if let share { press = .seek(share) }
        ui.painter.text(times(ui), in: lines.takeTop(18), .caption, faint)
        return press
    }

    private func drawButton(_ ui: Interface, _ id: ControlID, _ center: Point, _ ink: Color) -> Bool {
        var fill = ink
        fill.alpha = UInt8(Double(ink.alpha) * 0.16)
        guard sound?.phase != .loading else {
            ui.painter.disc(center, diameter: Self.button, fill)
            ui.spinner(center, diameter: 20, ink)
            return false
        }
        let plays = sound?.phase == .playing
        return ui.iconButton(
            id,
            plays ? .pause : .play,
            ui.strings[plays ? "live.pause" : "live.play"],
            center: center,
            diameter: Self.button,
            fill: fill,
            ink: ink
        )
    }

    private func times(_ ui: Interface) -> String {
        switch sound?.phase {
        case .failed(.refused(let code, _))? where ["not_played", "no_media"].contains(code):
            return ui.strings["chats.refused.\(code)"]
        case .failed?: return ui.strings["chat.file.missed"]
        case .playing?, .paused?:
            let position = sound?.position.clock ?? ""
            return sound?.duration.map { "\(position) / \($0.clock)" } ?? position
        case .loading?, nil: return note
        }
    }
}
