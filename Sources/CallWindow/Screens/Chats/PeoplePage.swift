internal import AppFlow
internal import ChatCore
internal import WindowKit

/// The page with the list of people to chat with.
@WindowActor final class PeoplePage {
    private static let rowHeight = 72.0
    private static let avatar = 46.0
    private static let filter: ControlID = "chats.filter"
    /// The minimum width in points of a row's texts at which they include the online status.
    private static let wideRow = 220.0

    private let model: ChatsViewModel

    init(model: ChatsViewModel) { self.model = model }

    func draw(_ ui: Interface, _ state: ChatsViewModel.State) {
        var column = ItemColumn.box(ui)
        _ = column.takeTop(Space.medium)
        ui.painter.text(
            ui.strings["bar.chats"],
            in: column.takeTop(36, gap: Space.medium),
            .display,
            ui.theme.text
        )
        if let own = ui.strings.writer(of: state) {
            ui.painter.text(own, in: column.takeTop(20, gap: Space.medium), .body, ui.theme.faint)
        }
        if let failure = state.failure { drawFailure(ui, failure, state, &column) }
        guard let people = state.people else {
            if state.isLoading { ui.spinner(column.center, diameter: 44, ui.theme.faint) }
            return
        }
        drawFilter(ui, state, &column)
        let listed = state.listed
        let found = FoundRows(ui, model: model, state: state)
        guard !listed.isEmpty || !found.rows.isEmpty else {
            let text = ui.strings[people.isEmpty ? "chats.empty" : "chats.none"]
            ui.painter.paragraph(
                text,
                in: column.inset(x: 0, y: Space.large),
                .body,
                ui.theme.faint,
                .center
            )
            return
        }
        ItemColumn.list(
            "chats.list",
            ui,
            in: column,
            count: listed.count + found.rows.count + 1,
            height: { row in
                if row < listed.count { return Self.rowHeight }
                if row < listed.count + found.rows.count {
                    return found.height(row - listed.count, ui, width: column.width)
                }
                return max(Space.medium, ui.floating?.height ?? 0)
            },
            row: { row, place in
                if row < listed.count {
                    draw(listed[row], state, ui, place)
                } else if row < listed.count + found.rows.count {
                    found.draw(row - listed.count, ui, place)
                }
            }
        )
    }

    private func drawFailure(
        _ ui: Interface,
        _ failure: ChatError,
        _ state: ChatsViewModel.State,
        _ column: inout Box
    ) {
        let text = ui.strings.sentence(of: failure)
        let height = ui.bannerHeight(text, width: column.width, hasAction: true)
        let isPressed = ui.banner(
            "chats.failure",
            text,
            .error,
            in: column.takeTop(height, gap: Space.medium),
            action: ui.strings["chats.retry"],
            isEnabled: !state.isLoading
        )
        if isPressed { model.send(.refresh) }
    }

    private func drawFilter(_ ui: Interface, _ state: ChatsViewModel.State, _ column: inout Box) {
        var row = column.takeTop(Interface.fieldHeight, gap: Space.medium)
        if !state.filter.isEmpty {
            let side = row.takeRight(44, gap: Space.tiny)
            let center = Point(side.center.x, side.bottom - 23)
            let name = ui.strings["chats.filter.clear"]
            if ui.iconButton("chats.filter.clear", .cross, name, center: center) {
                model.send(.setFilter(""))
                return ui.focus.focus(Self.filter)
            }
        }
        let text = ui.textField(
            Self.filter,
            ui.strings["chats.filter"],
            state.filter,
            in: row,
            hint: ui.strings["chats.filter.hint"],
            limit: 200
        )
        if let text { model.send(.setFilter(text)) }
        if ui.submits(Self.filter) { model.send(.openFirst) }
    }

    /// Draws a row; its second line begins with the person's username, which distinguishes people with similar names.
    private func draw(
        _ person: ChatPerson,
        _ state: ChatsViewModel.State,
        _ ui: Interface,
        _ place: Box
    ) {
        let id = ControlID("chats.person \(person.id)")
        let control = ui.control(id, place)
        let hover = ui.motion.value(id, "hover", towards: control.isHovered ? 1 : 0)
        if hover > 0 {
            let fill = ui.theme.ground.mixed(with: ui.theme.highlight, share: 0.06 * hover)
            ui.painter.fill(place.inset(x: 0, y: 2), radius: Corner.medium, fill)
        }
        var rest = place.inset(x: Space.small, y: Space.small)
        let picture = rest.takeLeft(Self.avatar, gap: Space.medium)
        let name = ui.strings.name(of: person)
        ui.avatar(name, center: picture.center, diameter: Self.avatar)
        if person.isOnline { ui.onlineDot(at: picture, diameter: Self.avatar) }
        let conversation = state.conversations[person.id]
        var lines = Box(center: rest.center, width: rest.width, height: 42)
        var title = lines.takeTop(22)
        // A narrow row omits the online status, which the dot at the picture also shows.
        if rest.width >= Self.wideRow {
            let online = ui.strings[person.isOnline ? "chats.online" : "chats.offline"]
            let width = ui.painter.width(of: online, .caption) + 1
            let ink = person.isOnline ? ui.theme.goodInk : ui.theme.faint
            ui.painter.text(online, in: title.takeRight(width, gap: Space.small), .caption, ink, .trailing)
        }
        ui.painter.text(name, in: title, .strong, ui.theme.text)
        var note = lines.takeTop(20)
        if let conversation, conversation.unread > 0 {
            let place = note.takeRight(36, gap: Space.small)
            ui.unreadBadge(conversation.unread, isMuted: state.muted.contains(person.id), in: place)
        }
        if state.muted.contains(person.id) {
            let sign = note.takeRight(18, gap: Space.tiny).center
            ui.painter.glyph(.mutedSpeaker, center: sign, size: 16, ui.theme.faint)
        }
        var text =
            conversation?.last.map { ui.strings.summary(of: $0) } ?? person.status
            ?? ui.strings["chats.no-status"]
        if let isSending = state.transfers.isSending(to: person.id) {
            text = ui.strings[isSending ? "chats.sending-file" : "chats.file-not-sent"]
        } else if state.blocked.contains(person.id) {
            text = ui.strings["chat.blocked"]
        }
        if let handle = person.handle {
            let width = min(ui.painter.width(of: handle, .caption) + 1, note.width)
            // Text that people can choose freely never has this color.
            ui.painter.text(handle, in: note.takeLeft(width, gap: Space.small), .caption, ui.theme.link)
        }
        ui.painter.text(text, in: note, .caption, ui.theme.faint)
        ui.divider(Box(x: rest.x, y: place.bottom - 1, width: rest.width, height: 1))
        ui.focusRing(control, id, around: place.inset(x: 0, y: 2), radius: Corner.medium)
        guard control.wasClicked else { return }
        model.send(.open(person))
    }
}

extension Interface {
    /// Draws the dot of a person who is online, at the edge of the picture.
    func onlineDot(at picture: Box, diameter: Double) {
        let size = max(10, diameter * 0.26)
        let center = Point(picture.center.x + diameter * 0.36, picture.center.y + diameter * 0.36)
        painter.disc(center, diameter: size + 4, theme.ground)
        painter.disc(center, diameter: size, theme.goodInk)
    }

    /// Draws the number of unread messages, in gray if the person is muted.
    func unreadBadge(_ count: Int, isMuted: Bool = false, in box: Box) {
        let text = count > 99 ? "99+" : "\(count)"
        let width = max(22, painter.width(of: text, .captionStrong) + 12)
        let pill = Box(x: box.right - width, y: box.center.y - 11, width: width, height: 22)
        painter.fill(pill, radius: 11, isMuted ? theme.outline : theme.brand)
        painter.text(text, in: pill, .captionStrong, isMuted ? theme.text : .white, .center)
    }
}

extension Strings {
    /// Describes under which name the user writes; nil while the name is unknown.
    func writer(of state: ChatsViewModel.State) -> String? {
        switch state.writer {
        case .user(let name)?: self("chats.as", ["name": name])
        case .guest(let number)?: self("chats.as.guest", ["number": "\(number)"])
        case nil: nil
        }
    }

    /// Describes a failure of the chat in one sentence.
    func sentence(of failure: ChatError) -> String {
        switch failure {
        case .network(let reason): self("chats.failed.network", ["reason": self.reason(reason)])
        case .status(401): self["chats.failed.account"]
        case .status(507): self["chats.refused.full"]
        case .status(404), .status(405): self["chats.failed.none"]
        case .status(let status): self("chats.failed.status", ["status": "\(status)"])
        case .decodingFailed(let field): self("chats.failed.decoding", ["field": field])
        case .notConnected: self["chats.failed.not-connected"]
        case .refused(let code, let message):
            has("chats.refused.\(code)") ? self["chats.refused.\(code)"] : message
        case .tooLong: self("chats.failed.too-long", ["most": "\(ChatLimits.longestText)"])
        case .notSupported: self["chats.failed.none"]
        case .outboxFull: self["chats.failed.outbox"]
        }
    }
}
