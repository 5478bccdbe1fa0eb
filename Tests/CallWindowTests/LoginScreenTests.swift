import Basics
import CSDL
import CallCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("The login screen")
    @WindowActor struct LoginScreenTests {
        private let bench: ScreenBench
        private let model: LoginViewModel

        init() async throws {
            bench = try await ScreenBench()
            model = await bench.login()
            bench.show(.login(model))
        }

        private func proceeds() -> Identity? {
            for case .proceed(let identity) in bench.commands { return identity }
            return nil
        }

        @Test("After a name and a room number are typed, Return continues")
        func typing() throws {
            bench.type("Олена Ann")
            bench.press(.tab(isBackwards: false))
            bench.settle()
            bench.type("4x2")
            #expect(model.store.state.username == "Олена Ann")
            #expect(model.store.state.room == "42", "what is no digit is taken")
            bench.press(.enter)
            let identity = try #require(proceeds())
            #expect(identity.room.description == "42")
        }

        @Test("Return moves the keyboard focus to a field that is still empty")
        func onwards() {
            bench.press(.enter)
            bench.settle()
            bench.type("Ann")
            bench.press(.enter)
            bench.settle()
            bench.type("42")
            #expect(model.store.state.username == "Ann" && model.store.state.room == "42")
            #expect(proceeds() == nil)
            bench.press(.enter)
            #expect(proceeds() != nil)
        }

        @Test("A text field supports clicking, editing, selecting all and undo")
        func editing() throws {
            bench.click("login.username")
            bench.settle()
            bench.type("Bob")
            bench.edit(.backspace)
            bench.edit(.home)
            bench.type("x")
            #expect(model.store.state.username == "xBo")
            bench.edit(.a, ctrl: true)
            bench.type("Ann")
            #expect(model.store.state.username == "Ann")
            bench.edit(.z, ctrl: true)
            #expect(model.store.state.username != "Ann")
        }

        @Test("A text field loses the keyboard focus when the next screen is shown")
        func leaving() async throws {
            bench.type("Ann")
            let room = try await bench.room()
            bench.show(.room(room))
            #expect(bench.window.delay == nil, "the caret of a field that has gone blinks")
            for _ in 0..<2 { bench.press(.tab(isBackwards: false)) }
            bench.press(.space)
            #expect(bench.commands == [.setRole(.callee)])
        }

        @Test("A text field shows a change by the model, and does not undo it")
        func changed() {
            bench.type("Ann")
            model.send(.setUsername("Bob"))
            bench.settle()
            #expect(model.store.state.username == "Bob")
            bench.edit(.home)
            bench.type("x")
            #expect(model.store.state.username == "xBob")
        }

        @Test("The length of a room number is bounded")
        func limit() {
            bench.press(.tab(isBackwards: false))
            bench.settle()
            bench.type(String(repeating: "9", count: 40))
            #expect(model.store.state.room.count == LoginViewModel.longestRoom)
        }

        @Test("Text is copied from one field and pasted into another")
        func clipboard() throws {
            model.send(.setUsername("77"))
            bench.settle()
            bench.press(.tab(isBackwards: true))
            bench.settle()
            bench.press(.tab(isBackwards: false))  // selects the whole text
            bench.settle()
            bench.edit(.c, ctrl: true)
            bench.press(.tab(isBackwards: false))
            bench.settle()
            bench.edit(.v, ctrl: true)
            #expect(model.store.state.room == "77")
        }

        @Test("Without a name and a room number, neither a click nor Return continues")
        func disabled() {
            bench.click("login.continue", at: Point(240, 520))
            bench.click("login.username")
            bench.settle()
            bench.type("Ann")
            bench.press(.enter)
            #expect(proceeds() == nil)
            #expect(!bench.window.screenHost.ui.focus.order.contains("login.continue"))
            model.send(.setRoom("7"))
            bench.settle()
            #expect(bench.window.screenHost.ui.focus.order.contains("login.continue"))
            bench.click("login.continue")
            #expect(proceeds() != nil)
        }

        @Test("While the user does nothing, only the blinking caret causes redraws")
        func caret() {
            bench.click("nothing", at: Point(2, 2))
            bench.settle()
            #expect(bench.window.delay == nil)
            bench.click("login.username")
            bench.settle()
            #expect(bench.window.delay.map { $0 > 100 && $0 <= 1000 } == true)
            bench.click("nothing", at: Point(2, 2))
            bench.settle()
            #expect(bench.window.delay == nil)
        }

        @Test("A failure to delete saved data is reported without moving the form")
        func deletionFailure() throws {
            let before = try #require(bench.window.screenHost.ui.places["login.username"])
            model.store.update {
                $0.deletionFailure = StoreFailure(reason: .keyringLocked, message: "", hint: "")
            }
            bench.settle()
            #expect(bench.window.screenHost.ui.places["login.username"] == before)
            bench.press(.tab(isBackwards: true))
            #expect(bench.window.screenHost.ui.focus.order.contains("login.room"))
        }
    }
}
