internal import CallCore
internal import CallFlow

extension CallScreen {
    /// Draws the peer and the state of the call while no video is shown; the result is the area drawn on.
    func drawMiddle(_ ui: Interface, _ state: CallViewModel.State) -> Box? {
        let isConnected = state.call == .connected && state.summary == nil
        let hasPicture = ui.pictures.remote != nil
        let isHidden = isConnected && hidesPicture(state)
        guard !(isConnected && hasPicture && !ui.pictures.isPaused && !isHidden) else { return nil }
        if hasPicture, !isHidden { ui.painter.fill(ui.area, Color(0x05070B, alpha: 170)) }
        let isAsked = isAsked(state)
        let words = Space.large + 36 + Space.small + 44 + (isAsked ? 84 : 0)
        let top = isConnected ? (signsRow(ui, state)?.bottom ?? Space.large + 36) + Space.small : Space.medium
        let place = middle(ui, words: words, below: top)
        var rest = place.box
        let center = rest.takeTop(place.side, gap: Space.large).center
        ui.avatar(state.peer ?? "", center: center, diameter: place.side)
        if let glyph = cardGlyph(state) { drawMark(glyph, ui, center, side: place.side) }
        if !isConnected, state.summary == nil {
            ui.spinner(center, diameter: place.side + 20, ui.theme.link)
        }
        let name = state.peer ?? ui.strings["common.peer"]
        ui.painter.text(name, in: rest.takeTop(36, gap: Space.small), .display, ui.theme.text, .center)
        let told =
            isAsked
            ? ui.strings["room.ring"]
            : isConnected ? standing(ui, state) : ui.strings.sentence(of: state.call)
        let sentence = state.summary.map(ui.strings.sentence(of:)) ?? told
        ui.painter.paragraph(sentence, in: rest.takeTop(44), .body, ui.theme.faint, .center, limit: 2)
        if isAsked {
            AnswerButtons.draw(ui, rest.takeTop(84)) { [model] in model.send($0 ? .accept : .decline) }
            if ui.takes(.enter) { model.send(.accept) }
        }
        return place.box
    }

    /// Draws a small icon at the edge of the avatar.
    private func drawMark(_ glyph: Glyph, _ ui: Interface, _ center: Point, side: Double) {
        let diameter = max(22, side * 0.34)
        let place = Point(center.x + side * 0.36, center.y + side * 0.36)
        ui.painter.disc(place, diameter: diameter + 6, Color(0x0E131C))
        ui.painter.disc(place, diameter: diameter, Color(0x364154))
        ui.painter.glyph(glyph, center: place, size: diameter * 0.6, .white)
    }

    /// Computes an area in the middle of the window, or above the buttons of a low one, and the avatar's
    /// size.
    private func middle(_ ui: Interface, words: Double, below top: Double) -> (box: Box, side: Double) {
        let bottom = bar(in: ui).y - Space.medium
        let side = max(36, min(112, ui.area.height * 0.24, bottom - words - top - Space.medium))
        let height = side + words
        let width = min(480, ui.area.width - 2 * Space.huge)
        let center = max(min(ui.area.center.y - 24, bottom - height / 2), top + height / 2)
        return (Box(center: Point(ui.area.center.x, center), width: width, height: height), side)
    }
}
