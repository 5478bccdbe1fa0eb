internal import AppFlow
internal import ChatCore
internal import WindowKit

/// The messages found by a search, as rows in the list of people.
@WindowActor struct FoundRows {
    private static let titleHeight = 44.0
    private static let messageHeight = 62.0

    enum Row: Hashable {
        case title
        /// A text shown instead of messages; nil while the search is in progress.
        case note(String?)
        case message(ChatMessage)
    }

    let model: ChatsViewModel
    let state: ChatsViewModel.State
    let rows: [Row]

    init(_ ui: Interface, model: ChatsViewModel, state: ChatsViewModel.State) {
        (self.model, self.state) = (model, state)
        let search = state.search
        guard search.isShown else {
            rows = []
            return
        }
        if let failure = search.failure {
            rows = [.title, .note(ui.strings.sentence(of: failure))]
        } else if let found = search.found {
            rows =
                [.title]
                + (found.isEmpty ? [.note(ui.strings["chats.found.none"])] : found.map { .message($0) })
        } else {
            rows = [.title, .note(nil)]
        }
    }

    /// Computes the height of a row, in points.
    func height(_ row: Int, _ ui: Interface, width: Double) -> Double {
        switch rows[row] {
        case .title: Self.titleHeight
        case .note(let text):
            max(44, ui.painter.height(of: text ?? "", .caption, width: width) + 2 * Space.small)
        case .message: Self.messageHeight
        }
    }

    func draw(_ row: Int, _ ui: Interface, _ place: Box) {
        switch rows[row] {
        case .title:
            let line = Box(x: place.x, y: place.bottom - 28, width: place.width, height: 22)
            ui.painter.text(ui.strings["chats.found"], in: line, .captionStrong, ui.theme.faint)
        case .note(nil): ui.spinner(place.center, diameter: 22, ui.theme.faint)
        case .note(let text?):
            ui.painter.paragraph(text, in: place.inset(x: 0, y: Space.small), .caption, ui.theme.faint)
        case .message(let message): draw(message, ui, place)
        }
    }

    private func draw(_ message: ChatMessage, _ ui: Interface, _ place: Box) {
        let id = ControlID("chats.found \(message.id ?? "")")
        let control = ui.control(id, place)
        let hover = ui.motion.value(id, "hover", towards: control.isHovered ? 1 : 0)
        if hover > 0 {
            let fill = ui.theme.ground.mixed(with: ui.theme.highlight, share: 0.06 * hover)
            ui.painter.fill(place.inset(x: 0, y: 2), radius: Corner.medium, fill)
        }
        var lines = place.inset(x: Space.small, y: Space.small + 2)
        var title = lines.takeTop(22)
        let day = LocalTime(message.time.timestamp).dayText(ui.strings)
        let width = ui.painter.width(of: day, .caption) + 1
        ui.painter.text(
            day,
            in: title.takeRight(width, gap: Space.small),
            .caption,
            ui.theme.faint,
            .trailing
        )
        let name = state.person(of: message).map { ui.strings.name(of: $0) } ?? message.from
        ui.painter.text(name, in: title, .strong, ui.theme.text)
        draw(FoundText(message.text, query: state.search.answered), of: message, ui, lines.takeTop(20))
        ui.divider(Box(x: place.x, y: place.bottom - 1, width: place.width, height: 1))
        ui.focusRing(control, id, around: place.inset(x: 0, y: 2), radius: Corner.medium)
        if control.wasClicked { model.send(.openFound(message)) }
    }

    /// Draws the text with the found words emphasized.
    private func draw(_ found: FoundText, of message: ChatMessage, _ ui: Interface, _ line: Box) {
        var rest = line
        if message.fromID == state.own {
            let you = ui.strings["chats.found.you"] + " "
            let place = rest.takeLeft(ui.painter.width(of: you, .caption))
            ui.painter.text(you, in: place, .caption, ui.theme.faint)
        }
        guard !found.isRightToLeft else {
            return ui.painter.text(message.text, in: rest, .caption, ui.theme.faint)
        }
        for part in found.parts {
            let style: TypeStyle = part.isFound ? .captionStrong : .caption
            let ink = part.isFound ? ui.theme.text : ui.theme.faint
            let width = ui.painter.width(of: part.text, style)
            guard width < rest.width else { return ui.painter.text(part.text, in: rest, style, ink) }
            ui.painter.text(part.text, in: rest.takeLeft(width), style, ink)
        }
    }
}
