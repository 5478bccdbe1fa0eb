import Basics
import ChatCore
import LiveCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("The screen of a conversation", .timeLimit(.minutes(4)))
    @WindowActor struct ChatScreenTests {
        /// A conversation that is open in a window of 480 by 854 points.
        private func talk() async throws -> (bench: ScreenBench, model: ChatsViewModel) {
            let (bench, model) = try await ScreenBench.people(width: 480, height: 854)
            model.send(.open(SampleChat.people[0]))
            model.show(SampleChat.conversation, with: 1)
            bench.settle()
            return (bench, model)
        }

        @Test("A click on the name opens the person's sheet, and Esc closes it")
        func person() async throws {
            let (bench, model) = try await talk()
            bench.click(200, 30)
            #expect(model.store.state.chat?.sheet == .actions)
            bench.settle()
            bench.press(.escape)
            #expect(model.store.state.chat?.sheet == nil && model.store.state.chat != nil)
        }

        @Test("Pressing the play button of a sound plays it, and pressing the save button saves it")
        func sound() async throws {
            let (bench, model) = try await talk()
            var conversation = SampleChat.conversation
            let media = ChatMedia(id: "s", url: "/api/media/s", type: "audio/ogg", bytes: 900)
            (conversation.items[5].message.media, conversation.items[5].message.text) = (media, "")
            model.show(conversation, with: 1)
            model.store.update { $0.transfers.playsSounds = true }
            bench.settle()
            let item = "chat.item \(conversation.items[5].key).0"
            bench.tab(to: ControlID("\(item).0"))
            bench.press(.enter)
            #expect(model.store.state.transfers.sound == ChatSound("s"))
            model.store.update { state in
                state.transfers.sound?.phase = .playing
                state.transfers.sound?.duration = .seconds(8)
            }
            bench.settle()
            #expect(bench.isStop(ControlID("\(item).2")))
            bench.tab(to: ControlID("\(item).1"))
            bench.press(.enter)
            #expect(model.store.state.transfers.savings["s"] == .saving)
        }

        @Test("A click on a video plays it, and its frames are shown only in its message")
        func video() async throws {
            let (bench, model) = try await talk()
            var conversation = SampleChat.conversation
            let media = ChatMedia(id: "v", url: "/api/media/v", type: "video/mp4", bytes: 900)
            let last = conversation.items.count - 1
            (conversation.items[last].message.media, conversation.items[last].message.text) = (media, "")
            model.show(conversation, with: 1)
            model.store.update { $0.transfers.playsSounds = true }
            bench.settle()
            let host = bench.window.screenHost
            #expect(host.conversationPlace == nil && !bench.window.conversationSink.isSeen)
            let item = "chat.item \(conversation.items[last].key).0"
            let stage = try #require(host.ui.places[ControlID("\(item).1")])
            bench.click(stage.center.x, stage.center.y)
            #expect(model.store.state.transfers.sound == ChatSound("v"))
            model.store.update { $0.transfers.sound?.phase = .playing }
            bench.settle()
            let rect = try #require(host.conversationPlace).whole
            #expect(bench.window.conversationSink.isSeen && rect.width > rect.height)
            SolidFrame.red.sized(640, 360).show(on: bench.window.conversationSink)
            bench.window.hasNewPicture = true
            bench.window.redrawIfNeeded()
            let photograph = try #require(bench.window.snapshot())
            #expect(photograph.isNear(255, 0, 0, x: Int(stage.center.x), y: Int(stage.center.y)))
            model.store.update { $0.transfers.sound = nil }
            bench.settle()
            #expect(host.conversationPlace == nil && !bench.window.conversationSink.isSeen)
        }

        @Test(
            "The voice button is shown while the field is empty, and a recording can be stopped, sent or discarded"
        )
        func voice() async throws {
            let (bench, model) = try await talk()
            model.store.update { $0.canRecord = true }
            model.send(.setDraft("text"))
            bench.settle()
            #expect(bench.isStop("chat.send") && !bench.isStop("chat.voice"))
            model.send(.setDraft(""))
            bench.settle()
            bench.tab(to: "chat.voice")
            bench.press(.enter)
            #expect(model.store.state.voices[1]?.phase == .starting)
            model.store.update { _ = $0.voices[1]?.hear(-20) }
            bench.settle()
            bench.tab(to: "chat.voice.stop")
            bench.press(.enter)
            #expect(model.store.state.voices[1]?.phase == .ending(isSent: false))
            model.store.update { $0.voices[1]?.phase = .recorded }
            bench.settle()
            #expect(bench.isStop("chat.voice.send") && bench.isStop("chat.voice.play"))
            bench.tab(to: "chat.voice.discard")
            bench.press(.enter)
            #expect(model.store.state.voices.isEmpty)
            bench.settle()
            #expect(bench.isStop("chat.field"))
        }

        @Test("Opening a found message opens its conversation and scrolls to the message once it is loaded")
        func found() async throws {
            let (bench, model) = try await talk()
            model.send(.close)
            var inbox = InboxState()
            (inbox.link, inbox.isSupported) = (.open, true)
            model.show(inbox)
            var conversation = SampleChat.conversation
            conversation.items = (0..<100).map { number in
                SampleChat.message(number, "message \(number)", isMine: false, minute: number)
            }
            model.send(.setFilter("nobody's message"))
            model.didFind("nobody's message", [conversation.items[20].message])
            bench.settle()
            bench.tab(to: "chats.found m20")
            bench.press(.enter)
            #expect(model.store.state.chat?.person.id == 1)
            bench.settle()
            #expect(model.store.state.chat?.target == "m20")
            model.show(conversation, with: 1)
            bench.settle()
            #expect(model.store.state.chat?.target == nil)
            // The day is a row of its own.
            #expect(bench.window.screenHost.ui.rowsAbove("chat.list") == 21)
        }

        @Test("The list shows user names of accounts in a color that status texts do not use")
        func userName() async throws {
            let (bench, model) = try await ScreenBench.people(width: 480, height: 854)
            func blueColumns(_ person: ChatPerson) throws -> Int {
                model.store.update { $0.people = [person] }
                bench.settle()
                let id = ControlID("chats.person \(person.id)")
                let row = try #require(bench.window.screenHost.ui.places[id])
                let snapshot = try #require(bench.window.snapshot())
                // Beside the picture.
                return (Int(row.x) + 80..<Int(row.right) - 10).count { x in
                    (Int(row.y)..<Int(row.bottom)).contains { y in
                        Int(snapshot[x, y].blue) - Int(snapshot[x, y].red) > 60
                    }
                }
            }
            let anna = ChatPerson(id: 1001, name: "Anna", status: "hi", username: "anna")
            #expect(try blueColumns(anna) > 10)
            // The first letter is Cyrillic.
            let other = ChatPerson(id: 8, name: "\u{410}nna", status: "@anna · hi")
            #expect(try blueColumns(other) == 0)
        }

        @Test("If the history lacks a found message, the list scrolls to the newest message")
        func notLoaded() async throws {
            let (bench, model) = try await talk()
            model.send(.close)
            var message = SampleChat.conversation.items[0].message
            message.id = "older"
            model.send(.openFound(message))
            model.show(SampleChat.conversation, with: 1)
            bench.settle()
            #expect(model.store.state.chat?.target == nil)
            #expect(bench.window.screenHost.ui.isListAtEnd("chat.list"))
        }

        @Test(
            "Words that begin with a query word are emphasized, preceded by a few words of context",
            arguments: [
                ("Tea, teapot", "tea", ["*Tea", ", ", "*teapot"]), ("steam", "tea", ["steam"]),
                ("one two three four five six\nseven", "SEVEN", ["…four five six ", "*seven"]),
                ("a b tea", "te", ["a b ", "*tea"]), ("", "tea", []),
            ]
        )
        func emphasis(text: String, query: String, parts: [String]) {
            #expect(FoundText(text, query: query).parts.map { $0.isFound ? "*\($0.text)" : $0.text } == parts)
        }

        @Test("A found text counts as right-to-left if it contains right-to-left letters")
        func rightToLeft() {
            #expect(FoundText("שלום tea", query: "tea").isRightToLeft)
            #expect(!FoundText("🏔️ чай 茶", query: "чай").isRightToLeft)
        }

        @Test("A picture is fetched when it is first drawn, and a failed one is fetched again on a click")
        func picture() async throws {
            let (bench, model) = try await talk()
            var media = ChatMedia(id: "p", url: "/api/media/p", type: "image/png", bytes: 800)
            (media.width, media.height) = (300, 200)
            var conversation = SampleChat.conversation
            conversation.items = [conversation.items[0]]
            conversation.items[0].message.media = media
            model.show(conversation, with: 1)
            bench.settle()
            #expect(model.store.state.transfers.pictures["p"] == .loading)
            model.store.update { $0.transfers.finish("p", .failed(.notConnected)) }
            bench.settle()
            #expect(model.store.state.transfers.pictures["p"] == .failed(.notConnected))
            bench.tab(to: "chat.item m0.0")
            bench.press(.enter)
            #expect(model.store.state.transfers.pictures["p"] == .loading)
            media.width = 5000
            conversation.items[0].message.media = media
            model.show(conversation, with: 1)
            bench.settle()
            bench.tab(to: "chat.item m0.0")
            bench.press(.enter)
            #expect(model.store.state.transfers.savings["p"] == .saving)
        }

        @Test("Deleting a message asks for confirmation, and Esc cancels it")
        func deletion() async throws {
            let (bench, model) = try await talk()
            let item = SampleChat.conversation.items[5]
            for key in [InputKey.escape, .enter] {
                model.send(.select(item))
                bench.settle()
                bench.click("chat.message.delete")
                #expect(model.store.state.chat?.deleting == item)
                bench.settle()
                if key == .enter { bench.tab(to: "chat.delete.confirm") }
                bench.press(key)
                #expect(model.store.state.chat?.deleting == nil && model.store.state.chat != nil)
                bench.settle()
            }
        }

        @Test("The clear button and Esc empty the people filter")
        func clearFilter() async throws {
            let (bench, model) = try await talk()
            model.send(.close)
            bench.settle()
            let ui = bench.window.screenHost.ui
            #expect(ui.places["chats.filter.clear"] == nil)
            for isKey in [false, true] {
                model.send(.setFilter("mei"))
                bench.settle()
                if isKey { bench.press(.escape) } else { bench.click("chats.filter.clear") }
                #expect(model.store.state.filter.isEmpty)
                bench.settle()
            }
        }

        @Test("Return in the people filter opens the first person in the filtered list")
        func openFirst() async throws {
            let (bench, model) = try await talk()
            model.send(.close)
            model.send(.setFilter("mei"))
            bench.settle()
            bench.click("chats.filter")
            bench.press(.enter)
            #expect(model.store.state.chat?.person.name == "Mei Okafor")
        }

        @Test(
            "The message about too many blocked people differs from the one about too many devices",
            arguments: zip(["en", "uk", "ru"], ["unblock", "розблокуйте", "разблокируйте"])
        )
        func tooManyBlocked(language: String, word: String) {
            let strings = Strings(language: language, folder: ScreenBench.strings)
            let sentence = strings.sentence(ofBlock: .refused(code: "too_many", message: "at most 1000"))
            #expect(sentence.contains(word))
            #expect(strings.sentence(ofBlock: .notConnected) == strings.sentence(of: .notConnected))
        }

        @Test("No message can be typed to a blocked person, who can be unblocked in the conversation")
        func blocked() async throws {
            let (bench, model) = try await talk()
            var inbox = InboxState()
            (inbox.link, inbox.blocked) = (.open, [1])
            model.show(inbox)
            bench.settle()
            bench.type("hello")
            #expect(model.store.state.drafts.isEmpty)
            bench.tab(to: "chat.blocked")
            bench.press(.enter)
            #expect(model.store.state.chat?.pending == .unblock)
        }
    }
}

extension ScreenBench {
    /// A window that shows the people one can write to.
    static func people(width: Int, height: Int) async throws -> (bench: ScreenBench, model: ChatsViewModel) {
        let bench = try await ScreenBench(
            width: width,
            height: height,
            hasBar: true,
            hasAccount: true,
            hasChat: true,
            player: LivePlayer(NoStreams())
        )
        let model = try #require(bench.shell?.chats).model
        model.store.update { ($0.people, $0.own) = (SampleChat.people, SampleChat.own) }
        bench.show(.chats(model))
        return (bench, model)
    }
}
