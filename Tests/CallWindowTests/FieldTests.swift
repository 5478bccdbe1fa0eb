import Basics
import CSDL
import CallCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("Editing in text fields")
    @WindowActor struct FieldTests {
        private let bench: ScreenBench
        private let model: LoginViewModel

        init() async throws {
            bench = try await ScreenBench()
            model = await bench.login()
            bench.show(.login(model))
        }

        private var name: String { model.store.state.username }

        private var field: Box {
            get throws { try #require(bench.window.screenHost.ui.places["login.username"]) }
        }

        @Test("Backspace deletes a whole emoji, and a letter together with its combining mark")
        func letters() {
            bench.type("Олена")
            bench.handle(.text("e\u{301}"))
            bench.handle(.text("👩‍👩‍👧"))
            #expect(name == "Оленаe\u{301}👩‍👩‍👧")
            bench.edit(.backspace)
            #expect(name == "Оленаe\u{301}")
            bench.edit(.backspace)
            #expect(name == "Олена")
        }

        @Test("Ctrl moves and deletes by words, and Shift selects")
        func words() {
            bench.type("Ann Mary Lee")
            bench.edit(.left, ctrl: true)
            bench.edit(.left, ctrl: true, shift: true)
            bench.type("x")
            #expect(name == "Ann xLee")
            bench.edit(.backspace, ctrl: true)
            #expect(name == "Ann Lee")
            bench.edit(.z, ctrl: true)
            bench.edit(.z, ctrl: true, shift: true)
            #expect(name == "Ann Lee")
        }

        @Test("Cut text is in the clipboard, and a masked token is neither copied nor cut")
        func cut() {
            bench.type("Ann")
            bench.edit(.a, ctrl: true)
            bench.edit(.x, ctrl: true)
            #expect(name.isEmpty)
            bench.edit(.v, ctrl: true)
            bench.edit(.v, ctrl: true)
            #expect(name == "AnnAnn")
            bench.showSettings()
            bench.click("settings.token")
            bench.type("hush")
            bench.edit(.a, ctrl: true)
            bench.edit(.c, ctrl: true)
            bench.edit(.x, ctrl: true)
            #expect(bench.settings.store.state.tokenText == "hush")
            #expect(Clipboard.text == "Ann")
        }

        @Test("Text that an input method composes is shown, and is part of the text once it is committed")
        func composing() throws {
            bench.type("A")
            let before = try #require(bench.window.snapshot())
            bench.handle(.marked("に", selection: 1..<1))
            #expect(name == "A")
            #expect(try #require(bench.window.snapshot()) != before)
            bench.handle(.marked("", selection: 0..<0))
            bench.handle(.text("日"))
            #expect(name == "A日")
        }

        @Test(
            "A double click selects a word, a third click the whole text, and dragging extends the selection"
        )
        func pointer() throws {
            bench.type("Ann Mary")
            let middle = try field.center.y
            let left = try field.x + Space.medium + 4
            bench.click(left, middle)
            bench.click(left, middle)
            bench.type("Eve")
            #expect(name == "Eve Mary")
            bench.now += 1
            bench.handle(.press(Point(left - 4, middle)))
            bench.handle(.move(Point(left + 400, middle)))
            bench.handle(.release(Point(left + 400, middle)))
            bench.type("Bob")
            #expect(name == "Bob")
            bench.now += 1
            for _ in 0..<3 { bench.click(left, middle) }
            bench.edit(.delete)
            #expect(name.isEmpty)
        }

        @Test("A text that is wider than its field is scrolled to the caret")
        func scrolling() throws {
            bench.type(String(repeating: "W", count: 60))
            let end = try #require(bench.window.screenHost.ui.editor?.scroll)
            #expect(end > 100)
            bench.edit(.home)
            #expect(bench.window.screenHost.ui.editor?.scroll == 0)
        }
    }
}
