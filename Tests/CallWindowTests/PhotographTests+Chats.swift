import Basics
import ChatCore
import LiveCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

/// Conversations for tests of screens.
enum SampleChat {
    static let own = 1000
    static let people = [
        ChatPerson(id: 1, name: "Ірина Грабар", status: "пересаджую фікус", isOnline: true),
        ChatPerson(id: 2, name: "Tobias Lindqvist", status: "two stops from home", isOnline: true),
        ChatPerson(id: 3, name: "Mei Okafor", isOnline: true),
        ChatPerson(id: 9, name: "Sigrún Jónsdóttir", status: "up before the sun"),
        ChatPerson(id: 15, name: "Олександра-Вікторія Константинопольська", status: "asleep, probably"),
    ]

    static func message(_ number: Int, _ text: String, isMine: Bool, minute: Int) -> ChatItem {
        let time = ChatTime(microseconds: (1_795_000_000 + Int64(minute) * 60) * 1_000_000)
        var message = ChatMessage(from: isMine ? "me" : "peer", to: "x", text: text, time: time)
        (message.id, message.fromID, message.toID) = ("m\(number)", isMine ? own : 1, isMine ? 1 : own)
        return ChatItem(key: "m\(number)", message: message, isMine: isMine)
    }

    static var conversation: ConversationState {
        var state = ConversationState()
        (state.link, state.mode, state.isLoaded) = (.open, .extended, true)
        state.items = [
            message(0, "Привіт! Як справи?", isMine: false, minute: 0),
            message(
                1,
                "Hello! All is well here. How was the trip to the mountains?",
                isMine: true,
                minute: 1
            ),
            message(
                2,
                "Чудово 🏔️ Ми піднялися на Говерлу ще до світанку, і хмари лежали під нами, наче море.\nФото надішлю ввечері.",
                isMine: false,
                minute: 1500
            ),
            message(3, "👍", isMine: true, minute: 1501),
            message(4, "А коли ти приїдеш до нас?", isMine: false, minute: 1502),
            message(5, "On Friday, if the train runs.", isMine: true, minute: 1503),
            message(6, "This one stays here", isMine: true, minute: 1504),
        ]
        state.items[0].message.reactions = [.like: [own], .laugh: [1]]
        state.items[1].isRead = true
        state.items[2].message.reactions = [.love: [own], .wow: [1, own], .sad: [1], .thanks: [1]]
        state.items[3].isDelivered = true
        state.items[5].message.replyTo = "m4"
        state.items[5].message.isEdited = true
        state.items[6].progress = .notSent(.notConnected)
        return state
    }
}

extension CallWindowTests.PhotographTests {
    func photographChats(_ bench: ScreenBench, _ photograph: (String) throws -> Void) throws {
        let model = try #require(bench.shell?.chats).model
        model.store.update { $0.isLoading = true }
        bench.show(.chats(model))
        try photograph("chats-loading")
        model.store.update { state in
            (state.isLoading, state.failure) = (false, .network("Connection refused"))
        }
        try photograph("chats-failed")
        model.store.update { state in
            (state.failure, state.people, state.own) = (nil, SampleChat.people, SampleChat.own)
            state.writer = .guest(SampleChat.own)
            state.conversations[1] = ChatConversation(
                with: 1,
                last: SampleChat.conversation.items[4].message,
                unread: 3
            )
        }
        try photograph("chats")
        try photographSearch(model, photograph)
        model.send(.open(SampleChat.people[0]))
        try photograph("chat-connecting")
        model.show(SampleChat.conversation, with: 1)
        try photograph("chat")
        model.send(.setDraft("Перший рядок\nдругий рядок\nтретій рядок, який досить довгий, щоб перенестися"))
        try photograph("chat-draft")
        model.send(.setDraft(""))
        model.send(.select(SampleChat.conversation.items[5]))
        try photograph("chat-message")
        model.send(.askToDelete(SampleChat.conversation.items[5]))
        try photograph("chat-delete")
        model.send(.askToDelete(nil))
        var deleted = SampleChat.conversation
        (deleted.items[4].message.text, deleted.items[4].message.isDeleted) = ("", true)
        model.show(deleted, with: 1)
        try photograph("chat-deleted")
        model.show(SampleChat.conversation, with: 1)
        model.send(.reply(SampleChat.conversation.items[4]))
        model.store.update { $0.chat?.failure = .tooLong }
        try photograph("chat-reply")
        model.store.update { $0.chat?.failure = nil }
        model.send(.cancel)
        try photographFiles(model, photograph)
        try photographVoices(model, photograph)
        try photographPerson(model, photograph)
        let calls = try #require(bench.shell?.chatCalls)
        calls.ring.update { $0 = ChatRing(person: SampleChat.people[4], room: 7) }
        try photograph("chat-ring")
        calls.ring.update { $0 = nil }
        model.send(.close)
    }

    private func photographFiles(_ model: ChatsViewModel, _ photograph: (String) throws -> Void) throws {
        var conversation = SampleChat.conversation
        var media = ChatMedia(id: "p", url: "/api/media/p", type: "image/png", bytes: 80_000)
        (media.width, media.height) = (1600, 900)
        conversation.items[4].message.media = media
        conversation.items[5].message.media = ChatMedia(
            id: "f",
            url: "/api/media/f",
            type: "application/pdf",
            bytes: 1_234_567
        )
        conversation.items[5].message.text = "Розклад поїздів на зиму.pdf"
        conversation.items.removeLast()
        model.show(conversation, with: 1)
        let picture = UserPicture(try #require(SolidFrame.blue.sized(160, 90).frame))
        model.store.update { state in
            _ = state.transfers.load("p", again: false)
            state.transfers.finish("p", .shown(picture))
            _ = state.transfers.add("/home/ann/Відпустка.mp4", to: 1)
            let upload = state.transfers.add("/home/ann/film.mkv", to: 1)
            state.transfers.fail(upload?.id ?? 0, .refused(code: "file", message: ""))
        }
        try photograph("chat-files")
        model.store.update { $0.transfers = ChatTransfers() }
        model.show(SampleChat.conversation, with: 1)
    }

    private func photographVoices(_ model: ChatsViewModel, _ photograph: (String) throws -> Void) throws {
        var conversation = SampleChat.conversation
        for index in 3...5 {
            conversation.items[index].message.media = ChatMedia(
                id: "s\(index)",
                url: "/api/media/s\(index)",
                type: "audio/ogg",
                bytes: 38_000
            )
            conversation.items[index].message.text = index == 3 ? "Соловʼї в саду о пʼятій ранку.ogg" : ""
        }
        model.show(conversation, with: 1)
        var voice = ChatVoice("v")
        for tick in 0..<84 { _ = voice.hear(-4 - Double(tick * tick % 43)) }
        model.store.update { state in
            (state.canRecord, state.transfers.playsSounds) = (true, true)
            var sound = ChatSound("s4")
            (sound.phase, sound.position, sound.duration) = (.playing, .seconds(3), .seconds(8))
            state.transfers.sound = sound
            state.voices[1] = voice
        }
        try photograph("chat-voice")
        model.store.update { state in
            state.voices[1]?.phase = .recorded
            state.transfers.sound = ChatSound("s3")
            state.transfers.sound?.phase = .failed(.refused(code: "not_played", message: ""))
        }
        try photograph("chat-voice-recorded")
        conversation.items[5].message.media?.type = "video/mp4"
        model.show(conversation, with: 1)
        try photograph("chat-video")
        model.store.update { state in
            (state.voices, state.transfers, state.canRecord) = ([:], ChatTransfers(), false)
        }
        model.show(SampleChat.conversation, with: 1)
    }

    private func photographSearch(_ model: ChatsViewModel, _ photograph: (String) throws -> Void) throws {
        var inbox = InboxState()
        (inbox.link, inbox.isSupported) = (.open, true)
        let conversations = model.store.state.conversations
        inbox.conversations = Array(conversations.values)
        model.show(inbox)
        model.send(.setFilter("ми"))
        try photograph("chats-searching")
        let items = SampleChat.conversation.items
        model.didFind("ми", [items[2].message, items[1].message, items[0].message])
        try photograph("chats-found")
        model.send(.setFilter(""))
    }

    private func photographPerson(_ model: ChatsViewModel, _ photograph: (String) throws -> Void) throws {
        model.send(.mute(true))
        model.send(.person(.show))
        try photograph("chat-person")
        model.send(.person(.askToBlock))
        try photograph("chat-block")
        model.send(.person(.askForReason))
        model.send(.person(.setReason("Пише всім те саме")))
        try photograph("chat-report")
        model.send(.person(.close))
        model.store.update { $0.blocked = [1] }
        try photograph("chat-blocked")
        model.store.update { ($0.blocked, $0.muted) = ([], []) }
    }

    @Test(
        "A snapshot of each screen of the chat is saved",
        arguments: [(480, 854, 1.0), (960, 640, 1), (480, 854, 2)]
    )
    func chats(width: Int, height: Int, scale: Double) async throws {
        for (language, theme) in [
            (AppSettings.Language.ukrainian, AppSettings.Theme.light), (.russian, .dark),
        ] {
            let bench = try await ScreenBench(
                width: width,
                height: height,
                language: language,
                hasBar: true,
                hasAccount: true,
                hasChat: true,
                player: LivePlayer(NoStreams())
            )
            bench.settings.send(.setTheme(theme))
            bench.settings.send(.setTextScale(scale))
            func photograph(_ name: String) throws {
                try save(bench, as: "c-\(name)-\(width)-\(scale)-\(theme.rawValue)")
            }
            try photographChats(bench, photograph)
        }
    }
}
