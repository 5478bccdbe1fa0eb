internal import AppFlow
internal import CallCore
internal import WindowKit

/// A card with the peer and the state of the call, shown while there is no current remote video.
@WindowActor struct PeerCard {
    let state: CallViewModel.State
    let video: CallVideo

    /// Draws the card if there is no current remote video; a press of a button calls `answer`, with true to
    /// accept.
    ///
    /// - Returns: The rectangle of the card; nil if it is not drawn.
    func draw(_ ui: Interface, below signs: PeerSigns, _ answer: (Bool) -> Void) -> Box? {
        let hasVideo = video.remote != nil
        let isHidden = state.isConnected && state.hidesVideo
        guard !(state.isConnected && hasVideo && !video.isPaused && !isHidden) else { return nil }
        if hasVideo, !isHidden { ui.painter.fill(ui.area, Color(0x05070B, alpha: 170)) }
        let words = Space.large + 36 + Space.small + 44 + (state.isAsked ? AnswerButtons.height : 0)
        let top =
            state.isConnected ? (signs.row(ui)?.bottom ?? CallHeader.bottom) + Space.small : Space.medium
        let place = place(ui, words: words, below: top)
        var rest = place.box
        let center = rest.takeTop(place.side, gap: Space.large).center
        ui.avatar(state.peer.map { ui.strings.name(ofPeer: $0) } ?? "", center: center, diameter: place.side)
        if let mark { draw(mark, ui, center, side: place.side) }
        if !state.isConnected, state.summary == nil {
            ui.spinner(center, diameter: place.side + 20, ui.theme.link)
        }
        let name = ui.strings.name(ofPeer: state.peer)
        ui.painter.text(name, in: rest.takeTop(36, gap: Space.small), .display, ui.theme.text, .center)
        let box = rest.takeTop(44)
        ui.painter.paragraph(sentence(ui), in: box, .body, ui.theme.faint, .center, limit: 2)
        if state.isAsked {
            AnswerButtons.draw(ui, rest.takeTop(AnswerButtons.height), answer)
            if ui.consumes(.enter) { answer(true) }
        }
        return place.box
    }

    /// Describes the state of the call.
    func sentence(_ ui: Interface) -> String {
        if let summary = state.summary { return ui.strings.sentence(of: summary) }
        if state.isAsked { return ui.strings["room.ring"] }
        guard state.isConnected else { return ui.strings.sentence(of: state.call) }
        if let media = state.peerMedia, media.isHolding { return ui.strings["call.peer.holding"] }
        if let media = state.peerMedia, !media.sendsVideo { return ui.strings["call.peer.camera-off"] }
        guard video.remote != nil else { return ui.strings.sentence(of: state.call) }
        // A peer that has only turned off its camera still sends audio.
        let audio = state.statistics?.audioIn?.bitrate
        return ui.strings[audio == 0 ? "call.silent" : "call.paused"]
    }

    /// The icon on the peer's avatar; nil for none.
    var mark: Glyph? {
        guard let media = state.peerMedia, state.isConnected else { return nil }
        if media.isHolding { return .pause }
        return media.sendsVideo ? nil : .closedCamera
    }

    /// Draws a small icon at the edge of the avatar.
    private func draw(_ glyph: Glyph, _ ui: Interface, _ center: Point, side: Double) {
        let diameter = max(22, side * 0.34)
        let place = Point(center.x + side * 0.36, center.y + side * 0.36)
        ui.painter.disc(place, diameter: diameter + 6, Color(0x0E131C))
        ui.painter.disc(place, diameter: diameter, Color(0x364154))
        ui.painter.glyph(glyph, center: place, size: diameter * 0.6, .white)
    }

    /// Computes the rectangle of the card and the size of the avatar.
    ///
    /// The card is in the middle of the window, or above the buttons if the window is not high enough.
    private func place(_ ui: Interface, words: Double, below top: Double) -> (box: Box, side: Double) {
        let bottom = CallBar.place(in: ui).y - Space.medium
        let side = max(36, min(112, ui.area.height * 0.24, bottom - words - top - Space.medium))
        let height = side + words
        let width = min(480, ui.area.width - 2 * Space.huge)
        let center = max(min(ui.area.center.y - 24, bottom - height / 2), top + height / 2)
        return (Box(center: Point(ui.area.center.x, center), width: width, height: height), side)
    }
}
