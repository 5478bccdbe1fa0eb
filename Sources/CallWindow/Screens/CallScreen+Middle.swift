internal import CallCore
internal import CallFlow

extension CallScreen {
    /// Who it is, and where it stands, while no picture comes to look at; where that stands.
    func drawMiddle(_ ui: Interface, _ state: CallViewModel.State) -> Box? {
        let isConnected = state.call == .connected && state.summary == nil
        let hasPicture = ui.pictures.remote != nil
        guard !(isConnected && hasPicture && !ui.pictures.isPaused) else { return nil }
        if hasPicture { ui.painter.fill(ui.area, Color(0x05070B, alpha: 170)) }
        let isAsked = state.isIncoming && state.call == .ringing
        let place = middle(ui, words: Space.large + 36 + Space.small + 44 + (isAsked ? 84 : 0))
        var rest = place.box
        let center = rest.takeTop(place.side, gap: Space.large).center
        ui.avatar(state.peer ?? "", center: center, diameter: place.side)
        if !isConnected, state.summary == nil {
            ui.spinner(center, diameter: place.side + 20, ui.theme.link)
        }
        let name = state.peer ?? ui.strings["common.peer"]
        ui.painter.text(name, in: rest.takeTop(36, gap: Space.small), .display, ui.theme.text, .center)
        let told =
            isAsked
            ? ui.strings["room.ring"]
            : isConnected && hasPicture ? ui.strings["call.paused"] : ui.strings.sentence(of: state.call)
        let sentence = state.summary.map(ui.strings.sentence(of:)) ?? told
        ui.painter.paragraph(sentence, in: rest.takeTop(44), .body, ui.theme.faint, .center, limit: 2)
        if isAsked {
            AnswerButtons.draw(ui, rest.takeTop(84)) { [model] in model.send($0 ? .accept : .decline) }
        }
        return place.box
    }

    /// In the middle of the window, or of what the buttons leave of a low one; `side` is the disc's.
    private func middle(_ ui: Interface, words: Double) -> (box: Box, side: Double) {
        let bottom = bar(in: ui).y - Space.medium
        let side = max(36, min(112, ui.area.height * 0.24, bottom - words - 2 * Space.medium))
        let height = side + words
        let width = min(480, ui.area.width - 2 * Space.huge)
        let center = min(ui.area.center.y - 24, max(bottom - height / 2, height / 2 + Space.medium))
        return (Box(center: Point(ui.area.center.x, center), width: width, height: height), side)
    }
}
