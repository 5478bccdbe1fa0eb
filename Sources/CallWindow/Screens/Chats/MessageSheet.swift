internal import AppFlow
internal import Basics
internal import ChatCore
internal import WindowKit

/// The sheet with the actions for a message, and the one that asks before the message is deleted.
@WindowActor struct MessageSheet {
    let model: ChatsViewModel
    let chat: ChatsViewModel.OpenChat

    private enum Deed: String, CaseIterable {
        case reply, copy, save, edit, delete

        var glyph: Glyph {
            switch self {
            case .reply: .reply
            case .copy: .copy
            case .save: .folder
            case .edit: .pencil
            case .delete: .bin
            }
        }
    }

    func draw(_ ui: Interface) {
        let item = chat.selected
        let deeds = Deed.allCases.filter { deed in
            switch deed {
            case .reply: chat.isExtended
            case .copy: item.map { !$0.message.text.isEmpty } ?? false
            case .save: item?.message.media != nil
            case .edit, .delete:
                chat.isExtended && item.map { $0.isMine && !$0.message.isAutomatic } ?? false
            }
        }
        let reactions = chat.isExtended ? 52 + Space.medium : 0
        let height = reactions + Double(deeds.count) * (Interface.buttonHeight + Space.small)
        let isClosed = ui.sheet(
            "chat.message",
            ui.strings["chat.message"],
            isOpen: item != nil,
            contentHeight: height
        ) { box in
            guard let item else { return }
            var rest = box
            if chat.isExtended { drawReactions(ui, item, rest.takeTop(52, gap: Space.medium)) }
            for deed in deeds {
                let place = rest.takeTop(Interface.buttonHeight, gap: Space.small)
                let isPressed = ui.button(
                    ControlID("chat.message.\(deed.rawValue)"),
                    ui.strings["chat.\(deed.rawValue)"],
                    .secondary,
                    in: place,
                    glyph: deed.glyph
                )
                if isPressed { perform(deed, item, ui) }
            }
        }
        if isClosed { model.send(.select(nil)) }
        drawQuestion(ui)
    }

    private func drawQuestion(_ ui: Interface) {
        let name = ui.strings.name(of: chat.person)
        let question = Question(
            name: "chat.delete",
            text: ui.strings("chat.delete.question", ["name": name])
        )
        let answer = question.draw(ui, isOpen: chat.deleting != nil)
        guard let item = chat.deleting, let answer else { return }
        model.send(answer == .confirmed ? .delete(item) : .askToDelete(nil))
    }

    private func drawReactions(_ ui: Interface, _ item: ChatItem, _ box: Box) {
        let all = ChatReaction.allCases
        let own = model.store.state.own ?? 0
        for (reaction, place) in zip(all, box.columns(all.count, gap: 0)) {
            let id = ControlID("chat.react \(reaction.rawValue)")
            let side = min(48, place.width)
            let round = Box(center: place.center, width: side, height: side)
            let control = ui.control(id, round)
            let isGiven = item.message.reactions[reaction]?.contains(own) ?? false
            let hover = ui.motion.value(id, "hover", towards: control.isHovered ? 1 : 0)
            let fill = ui.theme.surface.mixed(with: ui.theme.link, share: isGiven ? 0.25 : 0.1 * hover)
            ui.painter.disc(round.center, diameter: side, fill)
            ui.reaction(reaction, center: round.center, diameter: min(32, side - 4))
            ui.focusRing(control, id, around: round, radius: side / 2)
            let name = ui.strings["chat.reaction.\(reaction.rawValue)"]
            ui.tooltip(id, name, over: round, isShown: control.isHovered || control.isFocused)
            if control.wasClicked { model.send(.react(item, reaction)) }
        }
    }

    private func perform(_ deed: Deed, _ item: ChatItem, _ ui: Interface) {
        switch deed {
        case .reply: model.send(.reply(item))
        case .copy:
            Clipboard.text = item.message.text
            model.send(.select(nil))
        case .save:
            if let view = MediaView(item.message, model.store.state.transfers) {
                model.send(.file(.save(view.media, name: view.savedName)))
            }
            model.send(.select(nil))
        case .edit: model.send(.edit(item))
        case .delete: model.send(.askToDelete(item))
        }
        ui.focus.focus("chat.field")
    }
}
