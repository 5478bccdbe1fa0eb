internal import AppFlow
internal import ChatCore
internal import WindowKit

/// The composer at the bottom: the text field, a voice message, or the notice why the other person receives nothing.
extension ConversationPage {
    private static let replyHeight = 44.0

    private func closedText(_ ui: Interface, _ chat: ChatsViewModel.OpenChat) -> String {
        if chat.person.isDeleted { return ui.strings["chat.deleted.note"] }
        let text = ui.strings("chat.blocked.note", ["name": ui.strings.name(of: chat.person)])
        return chat.failure.map { "\(text) \(ui.strings.sentence(of: $0))" } ?? text
    }

    func closedHeight(_ ui: Interface, _ chat: ChatsViewModel.OpenChat, width: Double) -> Double {
        let text = closedText(ui, chat)
        return ui.bannerHeight(text, width: width, hasAction: !chat.person.isDeleted) + 2 * Space.small
    }

    /// Draws the notice that the other person is blocked or has deleted the account, instead of the text field.
    func drawClosed(
        _ ui: Interface,
        _ chat: ChatsViewModel.OpenChat,
        _ box: Box,
        width: Double
    ) {
        ui.painter.fill(box, radius: 0, ui.theme.surface)
        ui.divider(Box(x: 0, y: box.y, width: box.width, height: 1))
        let isPressed = ui.banner(
            "chat.blocked",
            closedText(ui, chat),
            .warning,
            in: column(box, width).inset(x: 0, y: Space.small),
            action: chat.person.isDeleted ? nil : ui.strings["chat.unblock"],
            isEnabled: chat.pending == nil
        )
        if isPressed { model.send(.person(.unblock)) }
    }

    /// The width of the button that sends a file, with its margin; 0 if no file can be sent.
    private func attachWidth(_ chat: ChatsViewModel.OpenChat) -> Double {
        chat.isExtended && chat.editing == nil ? 44 + Space.small : 0
    }

    func composerHeight(
        _ ui: Interface,
        _ state: ChatsViewModel.State,
        _ chat: ChatsViewModel.OpenChat,
        _ draft: String,
        width: Double
    ) -> Double {
        guard state.voices[chat.person.id] == nil else {
            return VoiceStrip.height + failureHeight(ui, chat, width: width) + 2 * Space.small
        }
        let field = ui.textAreaHeight(draft, width: width - 52 - attachWidth(chat))
        let strip = chat.reply == nil && chat.editing == nil ? 0 : Self.replyHeight
        return field + strip + failureHeight(ui, chat, width: width) + 2 * Space.small
    }

    private func failureHeight(_ ui: Interface, _ chat: ChatsViewModel.OpenChat, width: Double) -> Double {
        guard let failure = chat.failure else { return 0 }
        let text = ui.strings.sentence(of: failure)
        return ui.bannerHeight(text, width: width, hasAction: true) + Space.small
    }

    func drawComposer(
        _ ui: Interface,
        _ state: ChatsViewModel.State,
        _ chat: ChatsViewModel.OpenChat,
        _ draft: String,
        _ box: Box,
        width: Double
    ) {
        ui.painter.fill(box, radius: 0, ui.theme.surface)
        ui.divider(Box(x: 0, y: box.y, width: box.width, height: 1))
        var rest = column(box, width)
        rest = Box(
            x: rest.x,
            y: rest.y + Space.small,
            width: rest.width,
            height: rest.height - 2 * Space.small
        )
        if let failure = chat.failure {
            let height = failureHeight(ui, chat, width: width)
            let place = rest.takeTop(height - Space.small, gap: Space.small)
            let text = ui.strings.sentence(of: failure)
            if ui.banner("chat.failure", text, .error, in: place, action: ui.strings["common.close"]) {
                model.send(.removeFailure)
            }
        }
        if let voice = state.voices[chat.person.id] {
            let sound = transfers.sound(of: voice.id)
            return VoiceStrip(voice: voice, sound: sound, model: model).draw(ui, in: rest)
        }
        if let item = chat.editing ?? chat.reply {
            drawStrip(ui, item, isEditing: chat.editing != nil, rest.takeTop(Self.replyHeight))
        }
        if attachWidth(chat) > 0 {
            let place = rest.takeLeft(44, gap: Space.small)
            let name = ui.strings["chat.attach"]
            let center = Point(place.center.x, place.bottom - 22)
            if ui.iconButton("chat.attach", .attach, name, center: center) {
                model.send(.file(.choose(FileDialog(title: name, kind: ""))))
            }
        }
        let side = rest.takeRight(44, gap: Space.small)
        takeFocus(ui)
        let text = ui.textArea(
            Self.field,
            draft,
            in: rest,
            hint: ui.strings["chat.hint"],
            limit: ChatLimits.longestTextBytes,
            longest: ChatLimits.longestText,
            takesKeys: true
        )
        if let text { model.send(.setDraft(text)) }
        let center = Point(side.center.x, rest.bottom - 22)
        if draft.isBlank, state.canRecord, chat.isExtended, chat.editing == nil, chat.reply == nil {
            let name = ui.strings["chat.voice.record"]
            if ui.iconButton("chat.voice", .microphone, name, center: center) { model.send(.voice(.record)) }
            return
        }
        let isPressed = ui.iconButton(
            "chat.send",
            .send,
            ui.strings["chat.send"],
            center: center,
            fill: draft.isBlank ? nil : ui.theme.brand,
            ink: draft.isBlank ? nil : .white,
            isEnabled: !draft.isBlank
        )
        guard ui.submits(Self.field) || isPressed else { return }
        model.send(.send)
        ui.showEnd(ofList: Self.list)
        if isPressed { ui.focus.focus(Self.field) }
    }

    /// Returns the focus to the text field after a sheet was closed or the user has clicked outside of all controls.
    private func takeFocus(_ ui: Interface) {
        let isOnList = ui.focus.focused == Self.list && !ui.focus.isVisible && !ui.isHeld(Self.list)
        if ui.focus.focused == nil || isOnList, !ui.isCovered { ui.focus.focus(Self.field) }
    }

    private func drawStrip(_ ui: Interface, _ item: ChatItem, isEditing: Bool, _ box: Box) {
        var rest = box.inset(x: Space.tiny, y: 2)
        let close = rest.takeRight(36)
        let title = ui.strings[isEditing ? "chat.editing" : "chat.replying"]
        ui.painter.glyph(
            isEditing ? .pencil : .reply,
            center: rest.takeLeft(24, gap: Space.small).center,
            size: 18,
            ui.theme.link
        )
        ui.painter.text(title, in: rest.takeTop(18), .captionStrong, ui.theme.link)
        let text = ui.strings.summary(of: item.message)
        ui.painter.text(text, in: rest.takeTop(18), .caption, ui.theme.faint)
        let name = ui.strings["chat.cancel"]
        if ui.iconButton("chat.cancel", .cross, name, center: close.center, diameter: 36) {
            model.send(.cancel)
        }
    }
}
