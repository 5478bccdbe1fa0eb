internal import AppFlow
internal import Basics
internal import ChatCore
internal import WindowKit

/// The page of a conversation: the other person at the top, the messages, and the composer at the bottom.
@WindowActor final class ConversationPage {
    static let field: ControlID = "chat.field"
    static let list: ControlID = "chat.list"
    private static let headerHeight = 60.0
    private static let dayHeight = 36.0
    /// The number of remaining rows above the view at which older messages are fetched.
    private static let ahead = 8

    let model: ChatsViewModel
    private let video: ConversationVideo
    private var rows = ConversationRows()
    private(set) var transfers = ChatTransfers()
    /// The rows of the files that are being sent to the person.
    private var uploads: [UploadRow] = []

    init(model: ChatsViewModel, video: ConversationVideo) { (self.model, self.video) = (model, video) }

    /// Prepares the page for another person's conversation.
    func begin(_ ui: Interface) {
        rows = ConversationRows()
        ui.forgetList(Self.list)
        ui.focus.focus(Self.field)
    }

    func draw(_ ui: Interface, _ state: ChatsViewModel.State, _ chat: ChatsViewModel.OpenChat) {
        rows.update(chat.conversation.items)
        transfers = state.transfers
        uploads = transfers.shown(to: chat.person.id)
            .map { UploadRow(upload: $0, model: model) }
        var page = ui.pageArea
        let header = page.takeTop(Self.headerHeight)
        let draft = state.drafts[chat.person.id, default: ""]
        let margin = page.width < 480 ? Space.small : Space.large
        let width = min(page.width - 2 * margin, 760)
        let isClosed = state.blocked.contains(chat.person.id) || chat.person.isDeleted
        let composer =
            isClosed
            ? closedHeight(ui, chat, width: width) : composerHeight(ui, state, chat, draft, width: width)
        let footer = page.takeBottom(composer)
        ui.strips = (Self.headerHeight, composer)
        drawMessages(ui, state, chat, in: column(page, width))
        drawHeader(ui, chat, header)
        if isClosed {
            drawClosed(ui, chat, footer, width: width)
        } else {
            drawComposer(ui, state, chat, draft, footer, width: width)
        }
    }

    func column(_ box: Box, _ width: Double) -> Box {
        Box(x: ((box.width - width) / 2).rounded(), y: box.y, width: width, height: box.height)
    }

    // MARK: The person

    private func drawHeader(_ ui: Interface, _ chat: ChatsViewModel.OpenChat, _ box: Box) {
        ui.painter.fill(box, radius: 0, ui.theme.surface)
        ui.divider(Box(x: 0, y: box.bottom - 1, width: box.width, height: 1))
        var rest = box.inset(x: Space.small, y: Space.small)
        let back = rest.takeLeft(40, gap: Space.tiny)
        if ui.iconButton("chat.back", .back, ui.strings["chat.back"], center: back.center, diameter: 40) {
            model.send(.close)
        }
        let isBlocked = model.store.state.blocked.contains(chat.person.id)
        if chat.canBeCalled, !isBlocked, drawCallButton(ui, rest.takeRight(40, gap: Space.small)) {
            model.send(.call)
        }
        if ui.personControl(rest) { model.send(.person(.show)) }
        let picture = rest.takeLeft(40, gap: Space.medium)
        let name = ui.strings.name(of: chat.person)
        ui.avatar(name, center: picture.center, diameter: 38)
        if chat.isOnline, chat.conversation.link == .open { ui.onlineDot(at: picture, diameter: 38) }
        var lines = Box(center: rest.center, width: rest.width, height: 40)
        var title = lines.takeTop(22)
        // Several people may have the same name, but a username is unique.
        if let handle = chat.person.handle {
            let width = min(ui.painter.width(of: handle, .caption) + 1, title.width / 2)
            let place = title.takeRight(width, gap: Space.small)
            ui.painter.text(handle, in: place, .caption, ui.theme.faint, .trailing)
        }
        ui.painter.text(name, in: title, .strong, ui.theme.text)
        let (text, ink) = status(ui, chat)
        ui.painter.text(text, in: lines.takeTop(18), .caption, ink)
    }

    private func status(_ ui: Interface, _ chat: ChatsViewModel.OpenChat) -> (String, Color) {
        switch chat.conversation.link {
        case .connecting: return (ui.strings["chat.connecting"], ui.theme.faint)
        case .reconnecting: return (ui.strings["chat.reconnecting"], ui.theme.warningInk)
        case .closed, .open: break
        }
        if model.store.state.blocked.contains(chat.person.id) {
            return (ui.strings["chat.blocked"], ui.theme.dangerInk)
        }
        if chat.conversation.isPeerTyping { return (ui.strings["chat.typing"], ui.theme.link) }
        let online = ui.strings[chat.isOnline ? "chats.online" : "chats.offline"]
        let muted = model.store.state.muted.contains(chat.person.id) ? ui.strings["chat.muted"] : nil
        let text = [muted, online, chat.person.status].compactMap(\.self).joined(separator: " · ")
        return (text, chat.isOnline ? ui.theme.goodInk : ui.theme.faint)
    }

    // MARK: Messages

    private func drawMessages(
        _ ui: Interface,
        _ state: ChatsViewModel.State,
        _ chat: ChatsViewModel.OpenChat,
        in box: Box
    ) {
        guard !rows.rows.isEmpty || !uploads.isEmpty else {
            if chat.conversation.isLoaded {
                ui.painter.text(ui.strings["chat.empty"], in: box, .body, ui.theme.faint, .center)
            } else {
                ui.spinner(box.center, diameter: 36, ui.theme.faint)
            }
            return
        }
        let own = state.own ?? 0
        video.show(in: box)
        ui.list(
            Self.list,
            in: Box(x: box.x, y: box.y, width: box.width + 8, height: box.height),
            count: rows.rows.count + uploads.count + 1,
            estimate: 64,
            prepended: rows.prepended,
            startsAtEnd: true,
            height: { height(ofRow: $0, ui, chat, own, width: box.width) },
            row: {
                draw(row: $0, ui, chat, own, in: Box(x: $1.x, y: $1.y, width: box.width, height: $1.height))
            }
        )
        showTarget(ui, chat)
        let isAtEnd = ui.isListAtEnd(Self.list)
        if isAtEnd, chat.unseen > 0 { model.send(.sawEnd(true)) }
        if let above = ui.rowsAbove(Self.list), above < Self.ahead, chat.conversation.hasMore,
            !chat.conversation.isLoadingOlder
        {
            model.send(.loadOlder)
        }
        if chat.conversation.isLoadingOlder {
            ui.spinner(Point(box.center.x, box.y + 20), diameter: 22, ui.theme.faint)
        }
        if !isAtEnd { drawPill(ui, chat, box) }
    }

    /// Scrolls to the message that a search has found; if it is not loaded, the end stays in view.
    private func showTarget(_ ui: Interface, _ chat: ChatsViewModel.OpenChat) {
        guard let target = chat.target else { return }
        if let row = rows.position(ofMessage: target) {
            ui.show(row: row, ofList: Self.list)
        } else if chat.conversation.link != .open {
            return
        }
        model.send(.reachedTarget)
    }

    private func drawPill(_ ui: Interface, _ chat: ChatsViewModel.OpenChat, _ box: Box) {
        let text = ui.strings[chat.unseen > 0 ? "chat.new-messages" : "chat.to-end"]
        let width = ui.buttonWidth(text)
        let place = Box(
            center: Point(box.center.x, box.bottom - 26),
            width: min(width, box.width),
            height: 36
        )
        if ui.button("chat.end", text, chat.unseen > 0 ? .primary : .secondary, in: place, radius: 18) {
            ui.showEnd(ofList: Self.list)
            model.send(.sawEnd(true))
        }
    }

    private func bubble(
        _ ui: Interface,
        _ item: ChatItem,
        _ time: LocalTime,
        _ chat: ChatsViewModel.OpenChat,
        _ own: Int
    ) -> Bubble {
        Bubble(
            item: item,
            time: time,
            quote: quote(of: item, chat, ui.strings),
            own: own,
            isMarked: chat.marked != nil && chat.marked == item.message.id,
            media: MediaView(item.message, transfers, video)
        )
    }

    /// Returns the summary of the message to which `item` replies; nil if `item` is not a reply, “…” if that message is
    /// not loaded.
    private func quote(of item: ChatItem, _ chat: ChatsViewModel.OpenChat, _ strings: Strings) -> String? {
        guard let id = item.message.replyTo else { return nil }
        let answered = chat.conversation.items.last { $0.message.id == id }
        return answered.map { strings.summary(of: $0.message) } ?? "…"
    }

    private func height(
        ofRow index: Int,
        _ ui: Interface,
        _ chat: ChatsViewModel.OpenChat,
        _ own: Int,
        width: Double
    ) -> Double {
        guard index < rows.rows.count else {
            let upload = index - rows.rows.count
            if upload < uploads.count { return uploads[upload].height(ui, width: width) }
            // Leaves space at the end, so that the small video does not cover the newest messages.
            guard let floating = ui.floating, floating.center.y > ui.pageArea.height / 2 else {
                return Space.small
            }
            return floating.height + Space.large
        }
        switch rows.rows[index] {
        case .day: return Self.dayHeight
        case .item(let item, let time): return bubble(ui, item, time, chat, own).height(ui, width: width)
        }
    }

    private func draw(
        row index: Int,
        _ ui: Interface,
        _ chat: ChatsViewModel.OpenChat,
        _ own: Int,
        in box: Box
    ) {
        guard index < rows.rows.count else {
            let upload = index - rows.rows.count
            if upload < uploads.count { uploads[upload].draw(ui, in: box) }
            return
        }
        switch rows.rows[index] {
        case .day(let time):
            ui.painter.text(time.dayText(ui.strings), in: box, .captionStrong, ui.theme.faint, .center)
        case .item(let item, let time):
            switch bubble(ui, item, time, chat, own).draw(ui, in: box) {
            case .message?: if item.progress == .stored, !item.message.isDeleted { model.send(.select(item)) }
            case .retry?: model.send(.retry(key: item.key))
            case .discard?: model.send(.discard(key: item.key))
            case .reaction(let reaction)?: model.send(.react(item, reaction))
            case .media(let press)?: handle(press, item)
            case nil: break
            }
        }
    }

    private func handle(_ press: MediaView.Press, _ item: ChatItem) {
        guard let view = MediaView(item.message, transfers) else { return }
        switch press {
        case .load: model.send(.file(.load(view.media, again: true)))
        case .save, .sound(.save): model.send(.file(.save(view.media, name: view.savedName)))
        case .sound(.toggle): model.send(.file(.toggleSound(view.media)))
        case .sound(.seek(let share)): model.send(.file(.seekSound(id: view.media.id, share: share)))
        }
    }
}
