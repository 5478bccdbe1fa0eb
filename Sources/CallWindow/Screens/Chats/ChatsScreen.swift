internal import AppFlow
internal import Basics
internal import ChatCore
internal import WindowKit

/// The screen of the chat: the list of people, or the open conversation.
@WindowActor final class ChatsScreen: ScreenView {
    private let model: ChatsViewModel
    private let shell: AppShell?
    private let people: PeoplePage
    private let conversation: ConversationPage
    /// The ID of the person whose conversation was drawn last; nil for the list of people.
    private var drawn: Int?

    init(model: ChatsViewModel, shell: AppShell?, video: ConversationVideo) {
        (self.model, self.shell) = (model, shell)
        people = PeoplePage(model: model)
        conversation = ConversationPage(model: model, video: video)
    }

    func title(_ strings: Strings) -> WindowTitle {
        guard let chat = model.store.state.chat else { return WindowTitle("bar.chats", shell, strings) }
        return WindowTitle(parts: [strings.name(of: chat.person), strings["bar.chats"]])
    }

    func draw(_ ui: Interface) {
        let state = model.store.state
        if state.chat?.person.id != drawn {
            drawn = state.chat?.person.id
            conversation.begin(ui)
        }
        if let chat = state.chat { conversation.draw(ui, state, chat) } else { people.draw(ui, state) }
    }

    func drawSheets(_ ui: Interface) {
        let state = model.store.state
        if let chat = state.chat {
            MessageSheet(model: model, chat: chat).draw(ui)
            PersonSheets(model: model, state: state, chat: chat).draw(ui)
        }
        shell?.drawRing(ui)
        guard let chat = model.store.state.chat else {
            if !state.filter.isEmpty, ui.consumes(.escape) { model.send(.setFilter("")) }
            return
        }
        guard ui.consumes(.escape) else { return }
        model.send(chat.reply != nil || chat.editing != nil ? .cancel : .close)
    }
}
