internal import AppFlow
internal import ChatCore
internal import WindowKit

/// A message bubble with its time, its delivery status and its reactions.
@WindowActor struct Bubble {
    private static let padding = (x: 12.0, y: 8.0)
    private static let footerHeight = 16.0
    private static let quoteHeight = 40.0
    private static let reactionHeight = 26.0
    private static let failureHeight = 40.0

    let item: ChatItem
    let time: LocalTime
    /// The text of the message to which this one replies; nil if this one is not a reply.
    let quote: String?
    let own: Int
    /// Whether the message is highlighted, because a search has found it.
    var isMarked = false
    /// The file of the message; nil if it has none.
    var media: MediaView?

    private var text: String { item.message.text }

    private func shown(_ strings: Strings) -> String {
        if item.message.isDeleted { return strings["chat.deleted"] }
        // The row of a file shows its name.
        guard let media else { return text.isEmpty ? " " : text }
        return media.hasName ? "" : text
    }

    private func width(_ ui: Interface, _ row: Double) -> Double {
        min(520, row * 0.8) - 2 * Self.padding.x
    }

    /// Computes the height of the row, in points.
    func height(_ ui: Interface, width row: Double) -> Double {
        let lines = linesSize(ui, row).height + mediaSize(ui, row).height
        let quote = quote == nil ? 0 : Self.quoteHeight + Space.tiny
        let reactions = item.message.reactions.isEmpty ? 0 : Self.reactionHeight
        let failure = isFailed ? Self.failureHeight : 0
        return lines + quote + 2 * Self.padding.y + Self.footerHeight + reactions + failure + Space.tiny
    }

    private func linesSize(_ ui: Interface, _ row: Double) -> (width: Double, height: Double) {
        let shown = shown(ui.strings)
        return shown.isEmpty ? (0, 0) : ui.painter.size(ofMessage: shown, width: width(ui, row))
    }

    private func mediaSize(_ ui: Interface, _ row: Double) -> (width: Double, height: Double) {
        guard let media else { return (0, 0) }
        let size = media.size(width(ui, row))
        return (size.width, size.height + Space.tiny)
    }

    private var isFailed: Bool { if case .notSent = item.progress { true } else { false } }

    /// A part of the bubble that the user presses.
    enum Press: Hashable { case message, retry, discard, reaction(ChatReaction), media(MediaView.Press) }

    /// Draws the row, and returns the part that the user presses.
    func draw(_ ui: Interface, in row: Box) -> Press? {
        let id = ControlID("chat.item \(item.key)")
        let inside = width(ui, row.width)
        let shown = shown(ui.strings)
        let (size, mediaSize) = (linesSize(ui, row.width), mediaSize(ui, row.width))
        let footer = footer(ui)
        let quoteWidth = quote.map { min(inside, ui.painter.width(of: $0, .caption) + Space.medium) } ?? 0
        let footerWidth = ui.painter.width(of: footer, .caption) + (item.isMine ? 20 : 0)
        let width =
            min(inside, max(size.width.rounded(.up) + 1, mediaSize.width, footerWidth, quoteWidth, 48)) + 2
            * Self.padding.x
        let quoted = quote == nil ? 0 : Self.quoteHeight + Space.tiny
        let height = size.height + mediaSize.height + quoted + 2 * Self.padding.y + Self.footerHeight
        let box = Box(
            x: item.isMine ? row.right - width : row.x,
            y: row.y,
            width: width,
            height: height
        )
        let control = ui.control(id, box)
        let (fill, ink, faint) = colors(ui)
        let hover = ui.motion.value(id, "hover", towards: control.isHovered ? 1 : 0)
        ui.painter.fill(box, radius: Corner.large, fill.mixed(with: ui.theme.highlight, share: 0.05 * hover))
        if !item.isMine { ui.painter.stroke(box, radius: Corner.large, ui.theme.outline) }
        if isMarked {
            ui.painter.stroke(box.inset(by: -2), radius: Corner.large + 2, width: 2, ui.theme.warningInk)
        }
        var rest = box.inset(x: Self.padding.x, y: Self.padding.y)
        if let quote { draw(quote, ui, rest.takeTop(Self.quoteHeight, gap: Space.tiny), ink, faint) }
        var press: Press?
        if let media {
            var place = rest.takeTop(mediaSize.height - Space.tiny, gap: Space.tiny)
            place.width = mediaSize.width
            press = media.draw(ui, id.child(0), in: place, ink: ink, faint: faint).map { .media($0) }
        }
        if !shown.isEmpty {
            ui.painter.message(shown, in: rest.takeTop(size.height), item.message.isDeleted ? faint : ink)
        }
        drawFooter(ui, footer, rest.takeTop(Self.footerHeight), faint)
        ui.focusRing(control, id, around: box, radius: Corner.large)
        var below = Box(x: row.x, y: box.bottom, width: row.width, height: max(0, row.bottom - box.bottom))
        if control.wasClicked { press = press ?? .message }
        if !item.message.reactions.isEmpty {
            let strip = below.takeTop(Self.reactionHeight)
            if let reaction = drawReactions(ui, strip, beside: box) { press = .reaction(reaction) }
        }
        if isFailed { press = drawFailure(ui, below.takeTop(Self.failureHeight)) ?? press }
        return press
    }

    private func colors(_ ui: Interface) -> (fill: Color, ink: Color, faint: Color) {
        guard item.isMine else { return (ui.theme.surface, ui.theme.text, ui.theme.faint) }
        var faint = Color.white
        faint.alpha = 190
        let fill = isFailed ? ui.theme.brand.mixed(with: ui.theme.ground, share: 0.45) : ui.theme.brand
        return (fill, .white, faint)
    }

    private func footer(_ ui: Interface) -> String {
        let parts = [
            item.message.isAutomatic ? ui.strings["chat.automatic"] : nil,
            item.message.isEdited && !item.message.isDeleted ? ui.strings["chat.edited"] : nil, time.clock,
        ]
        return parts.compactMap(\.self).joined(separator: " · ")
    }

    private func drawFooter(_ ui: Interface, _ text: String, _ line: Box, _ ink: Color) {
        var rest = line
        if item.isMine {
            let sign = rest.takeRight(16, gap: Space.tiny)
            switch item.progress {
            case .stored:
                ui.painter.glyph(.check, center: sign.center, size: 14, ink)
                if item.isRead || item.isDelivered {
                    let second = Point(sign.center.x - 5, sign.center.y)
                    ui.painter.glyph(.check, center: second, size: 14, item.isRead ? .white : ink)
                }
            case .sending, .waiting: ui.spinner(sign.center, diameter: 10, ink)
            case .notSent: ui.painter.glyph(.notice, center: sign.center, size: 13, .white)
            }
        }
        ui.painter.text(text, in: rest, .caption, ink, .trailing)
    }

    private func draw(_ quote: String, _ ui: Interface, _ box: Box, _ ink: Color, _ faint: Color) {
        ui.painter.fill(Box(x: box.x, y: box.y + 4, width: 3, height: box.height - 8), radius: 1.5, faint)
        var rest = box
        _ = rest.takeLeft(3, gap: Space.small)
        ui.painter.paragraph(quote, in: rest.inset(x: 0, y: 2), .caption, faint, limit: 2)
    }

    private func drawReactions(_ ui: Interface, _ strip: Box, beside bubble: Box) -> ChatReaction? {
        let given = ChatReaction.allCases.filter { item.message.reactions[$0] != nil }
        var pressed: ChatReaction?
        var x = item.isMine ? bubble.right - Double(given.count) * 44 : bubble.x + Space.small
        for reaction in given {
            let people = item.message.reactions[reaction] ?? []
            let id = ControlID("chat.reaction \(item.key) \(reaction.rawValue)")
            let pill = Box(x: x, y: strip.y - 4, width: 40, height: 24)
            let control = ui.control(id, pill)
            let isMine = people.contains(own)
            ui.painter.fill(pill, radius: 12, ui.theme.surface)
            ui.painter.stroke(pill, radius: 12, isMine ? ui.theme.link : ui.theme.outline)
            ui.reaction(reaction, center: Point(pill.x + 13, pill.center.y), diameter: 16)
            let number = Box(x: pill.x + 22, y: pill.y, width: 14, height: pill.height)
            ui.painter.text("\(people.count)", in: number, .caption, ui.theme.faint, .center)
            ui.focusRing(control, id, around: pill, radius: 12)
            if control.wasClicked { pressed = reaction }
            x += 44
        }
        return pressed
    }

    private func drawFailure(_ ui: Interface, _ line: Box) -> Press? {
        var rest = line
        let (delete, retry) = (ui.strings["chat.discard"], ui.strings["chats.retry"])
        let id = ControlID("chat.failed \(item.key)")
        let widths = (retry: ui.buttonWidth(retry), delete: ui.buttonWidth(delete))
        let isNarrow = widths.retry + widths.delete + Space.small > line.width
        let first = rest.takeRight(isNarrow ? line.width * 0.4 : widths.delete, gap: Space.tiny)
        if ui.button(id.child(0), delete, .quiet, in: first) { return .discard }
        let second = isNarrow ? rest : rest.takeRight(widths.retry, gap: Space.small)
        if ui.button(id.child(1), retry, .quiet, in: second) { return .retry }
        guard !isNarrow else { return nil }
        ui.painter.text(ui.strings["chat.not-sent"], in: rest, .caption, ui.theme.dangerInk, .trailing)
        return nil
    }
}

extension Interface {
    /// Draws the icon of a reaction.
    func reaction(_ reaction: ChatReaction, center: Point, diameter: Double) {
        func sign(_ glyph: Glyph, _ color: Color) {
            painter.disc(center, diameter: diameter, color)
            painter.glyph(glyph, center: center, size: (diameter * 0.68).rounded(), .white)
        }
        func face(_ draw: (_ unit: Double, _ ink: Color) -> Void) {
            let ink = Color(0x5A3B00)
            painter.disc(center, diameter: diameter, Color(0xF7C948))
            let unit = diameter / 24
            for side in [-1.0, 1] {
                painter.disc(
                    Point(center.x + side * 4 * unit, center.y - 3 * unit),
                    diameter: max(2, 3 * unit),
                    ink
                )
            }
            draw(unit, ink)
        }
        switch reaction {
        case .like: sign(.thumb, Color(0x2F6BEA))
        case .love: sign(.heart, Color(0xE0344B))
        case .thanks: sign(.star, Color(0x15803D))
        case .laugh:
            face { unit, ink in
                let mouth = Point(center.x, center.y + 1.5 * unit)
                painter.arc(
                    mouth,
                    radius: 5.4 * unit,
                    from: 0.25 * .pi,
                    to: 0.75 * .pi,
                    width: max(1.5, 2.6 * unit),
                    ink
                )
            }
        case .wow:
            face { unit, ink in
                painter.disc(Point(center.x, center.y + 5 * unit), diameter: max(3, 6 * unit), ink)
            }
        case .sad:
            face { unit, ink in
                let mouth = Point(center.x, center.y + 9 * unit)
                painter.arc(
                    mouth,
                    radius: 4.6 * unit,
                    from: 1.25 * .pi,
                    to: 1.75 * .pi,
                    width: max(1.2, 2 * unit),
                    ink
                )
            }
        }
    }
}
