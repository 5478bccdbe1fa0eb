import CSDL
import CallCore
import Testing

@testable import CallFlow
@testable import CallWindow

extension CallWindowTests {
    @Suite("The login screen")
    @WindowActor struct LoginScreenTests {
        private let stage: ScreenBench
        private let model: LoginViewModel

        init() async throws {
            stage = try await ScreenBench()
            model = await stage.login()
            stage.show(.login(model))
        }

        private func proceeds() -> Identity? {
            for case .proceed(let identity) in stage.commands { return identity }
            return nil
        }

        @Test("The user types a name and a number, and Return continues")
        func typing() throws {
            stage.type("Олена Ann")
            stage.press(.tab(isBackwards: false))
            stage.settle()
            stage.type("4x2")
            #expect(model.store.state.username == "Олена Ann")
            #expect(model.store.state.room == "42", "what is no digit is taken")
            stage.press(.enter)
            let identity = try #require(proceeds())
            #expect(identity.room.description == "42")
        }

        @Test("Return moves to the field that is still empty")
        func onwards() {
            stage.press(.enter)
            stage.settle()
            stage.type("Ann")
            stage.press(.enter)
            stage.settle()
            stage.type("42")
            #expect(model.store.state.username == "Ann" && model.store.state.room == "42")
            #expect(proceeds() == nil)
            stage.press(.enter)
            #expect(proceeds() != nil)
        }

        @Test("A field is clicked, edited and cleared as in any other program")
        func editing() throws {
            stage.click("login.username")
            stage.settle()
            stage.type("Bob")
            stage.edit(.backspace)
            stage.edit(.home)
            stage.type("x")
            #expect(model.store.state.username == "xBo")
            stage.edit(.all, ctrl: true)
            stage.type("Ann")
            #expect(model.store.state.username == "Ann")
            stage.edit(.undo, ctrl: true)
            #expect(model.store.state.username != "Ann")
        }

        @Test("The next screen takes the keyboard focus from a field")
        func leaving() async throws {
            stage.type("Ann")
            let room = try await stage.room()
            stage.show(.room(room))
            #expect(stage.window.delay == nil, "the caret of a field that has gone blinks")
            stage.press(.tab(isBackwards: false))
            stage.press(.space)
            #expect(stage.commands == [.logout])
        }

        @Test("A change from elsewhere is shown, and not undone by the field")
        func changed() {
            stage.type("Ann")
            model.send(.setUsername("Bob"))
            stage.settle()
            #expect(model.store.state.username == "Bob")
            stage.edit(.home)
            stage.type("x")
            #expect(model.store.state.username == "xBob")
        }

        @Test("The length of a room number is bounded")
        func limit() {
            stage.press(.tab(isBackwards: false))
            stage.settle()
            stage.type(String(repeating: "9", count: 40))
            #expect(model.store.state.room.count == LoginViewModel.longestRoom)
        }

        @Test("A menu is opened, navigated and used by keyboard")
        func list() {
            stage.click("settings.open")
            stage.settle()
            while stage.window.stage.ui.focus.focused != "settings.language" {
                stage.press(.tab(isBackwards: false))
            }
            stage.press(.space)
            stage.press(.down)
            stage.press(.down)
            stage.press(.enter)
            #expect(stage.settings.store.state.settings.language == .ukrainian)
            stage.press(.space)
            stage.press(.escape)
            stage.settle()
            #expect(
                stage.window.stage.ui.focus.focused == "settings.language",
                "the sheet is closed with the list"
            )
        }

        @Test("Text is copied from one field and pasted into another")
        func clipboard() throws {
            model.send(.setUsername("77"))
            stage.settle()
            stage.press(.tab(isBackwards: true))
            stage.settle()
            stage.press(.tab(isBackwards: false))  // selects all of it
            stage.settle()
            stage.edit(.copy, ctrl: true)
            stage.press(.tab(isBackwards: false))
            stage.settle()
            stage.edit(.paste, ctrl: true)
            #expect(model.store.state.room == "77")
        }

        @Test("Neither a click nor Return continues without a name and a number")
        func disabled() {
            stage.click("login.continue", at: Point(240, 520))
            stage.click("login.username")
            stage.settle()
            stage.type("Ann")
            stage.press(.enter)
            #expect(proceeds() == nil)
            #expect(!stage.window.stage.ui.focus.order.contains("login.continue"))
            model.send(.setRoom("7"))
            stage.settle()
            #expect(stage.window.stage.ui.focus.order.contains("login.continue"))
            stage.click("login.continue")
            #expect(proceeds() != nil)
        }

        @Test("The blinking caret causes the only redraws while nothing happens")
        func caret() {
            stage.click("nothing", at: Point(2, 2))
            stage.settle()
            #expect(stage.window.delay == nil)
            stage.click("login.username")
            stage.settle()
            #expect(stage.window.delay.map { $0 > 100 && $0 <= 1000 } == true)
            stage.click("nothing", at: Point(2, 2))
            stage.settle()
            #expect(stage.window.delay == nil)
        }

        @Test("The settings open over the screen, take the keyboard focus, and close with Esc")
        func settings() throws {
            stage.click("settings.open")
            stage.settle()
            let order = stage.window.stage.ui.focus.order
            #expect(order.contains("settings.server") && !order.contains("login.username"))
            stage.click("settings.auto-answer")
            #expect(stage.settings.store.state.settings.answersByItself)
            stage.press(.escape)
            stage.settle()
            #expect(stage.window.stage.ui.focus.order.contains("login.username"))
        }

        @Test(
            "Text typed into the settings takes effect when the user leaves the field",
            arguments: Leaving.allCases
        )
        func typed(leaving: Leaving) throws {
            stage.click("settings.open")
            stage.settle()
            stage.click("settings.token")
            stage.settle()
            stage.type("hush")
            let typed = stage.settings.store.state
            #expect(typed.tokenText == "hush" && typed.token == nil)
            switch leaving {
            case .tab: stage.press(.tab(isBackwards: false))
            case .enter: stage.press(.enter)
            case .escape: stage.press(.escape)
            case .click: stage.click("settings.theme.1")
            case .cross: stage.click("settings.0")
            }
            stage.settle()
            #expect(stage.settings.store.state.token == "hush")
        }

        enum Leaving: String, CaseIterable, Sendable { case tab, enter, escape, click, cross }

        @Test("A failed deletion is reported below the form without moving it")
        func unforgotten() throws {
            let before = try #require(stage.window.stage.ui.places["login.username"])
            model.store.update {
                $0.unforgotten = AppMemoryFailure(reason: .keyringLocked, message: "", hint: "")
            }
            stage.settle()
            #expect(stage.window.stage.ui.places["login.username"] == before)
            stage.press(.tab(isBackwards: true))
            #expect(stage.window.stage.ui.focus.order.contains("login.room"))
        }

        @Test("Selecting a language in the menu changes all texts")
        func language() throws {
            stage.click("settings.open")
            stage.settle()
            stage.click("settings.language")
            stage.settle()
            stage.click("settings.language.2")
            #expect(stage.settings.store.state.settings.language == .ukrainian)
            stage.window.show(.login(model), settings: stage.settings)
            #expect(stage.window.stage.ui.strings["login.continue"] == "Продовжити")
        }

        @Test("Selecting a theme takes effect immediately", arguments: [(1, false), (2, true)])
        func look(index: Int, isDark: Bool) throws {
            stage.click("settings.open")
            stage.settle()
            stage.click(ControlID("settings.theme.\(index)"))
            stage.window.show(.login(model), settings: stage.settings)
            stage.press(.escape)
            stage.settle()
            let corner = try #require(stage.window.snapshot())[3, 3]
            #expect((corner.red < 0x40) == isDark)
        }
    }
}
