import Basics
import CSDL
import CallCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("The settings screen and the navigation bar")
    @WindowActor struct SettingsScreenTests {
        private let bench: ScreenBench

        init() async throws {
            bench = try await ScreenBench(hasBar: true)
            bench.showSettings()
        }

        private var settings: AppSettings { bench.settings.store.state.settings }

        @Test("Tab visits the sections of the settings from top to bottom, and then the navigation bar")
        func order() {
            let order = bench.window.screenHost.ui.focus.order
            #expect(order.first == "settings.server" && order.last == "bar.settings")
            bench.tab(to: "settings.language")
            let ui = bench.window.screenHost.ui
            #expect(ui.places["settings.language"].map { ui.pageArea.contains($0) } == true)
        }

        @Test("The wheel scrolls the focused control out of view, and Tab scrolls the next control into view")
        func wheel() throws {
            let ui = bench.window.screenHost.ui
            bench.tab(to: "settings.server")
            bench.handle(.move(ui.pageArea.center))
            for _ in 0..<30 {
                bench.handle(.wheel(-1))
                bench.settle()
            }
            let scrolled = try #require(ui.places["settings.server"])
            #expect(scrolled.bottom < 0)
            bench.press(.tab(isBackwards: false))
            bench.settle()
            let next = try #require(ui.focus.focused.flatMap { ui.places[$0] })
            #expect(ui.pageArea.contains(next))
        }

        @Test("Themes are offered as a menu if their names do not fit side by side", arguments: [1, 2])
        func themes(scale: Double) async throws {
            let bench = try await ScreenBench(width: 480, height: 800, language: .ukrainian, hasBar: true)
            bench.settings.send(.setTextScale(scale))
            bench.showSettings()
            bench.settle()
            let places = bench.window.screenHost.ui.places
            #expect((places["settings.theme"] != nil) == (scale == 2))
            #expect((places[ControlID("settings.theme").child(0)] != nil) == (scale == 1))
        }

        @Test("A menu is opened, navigated and used by keyboard")
        func list() {
            bench.tab(to: "settings.language")
            bench.press(.space)
            bench.press(.down)
            bench.press(.down)
            bench.press(.enter)
            #expect(settings.language == .ukrainian)
            bench.press(.space)
            bench.press(.escape)
            bench.settle()
            #expect(bench.window.screenHost.ui.focus.focused == "settings.language", "Esc left the page")
        }

        @Test("A click on the switch changes whether calls are answered automatically")
        func answering() {
            bench.click("settings.auto-answer")
            #expect(settings.answersAutomatically)
        }

        @Test("Typed text takes effect when the user leaves the field", arguments: Leaving.allCases)
        func typed(leaving: Leaving) throws {
            bench.click("settings.token")
            bench.settle()
            bench.type("hush")
            let typed = bench.settings.store.state
            #expect(typed.tokenText == "hush" && typed.token == nil)
            switch leaving {
            case .tab: bench.press(.tab(isBackwards: false))
            case .enter: bench.press(.enter)
            case .click: bench.click("settings.auto-answer")
            }
            bench.settle()
            #expect(bench.settings.store.state.token == "hush")
        }

        enum Leaving: String, CaseIterable, Sendable { case tab, enter, click }

        @Test("Selecting a language in the menu changes all texts")
        func language() throws {
            bench.tab(to: "settings.language")
            bench.press(.space)
            bench.settle()
            bench.click("settings.language.2")
            #expect(settings.language == .ukrainian)
            bench.showSettings()
            #expect(bench.window.screenHost.ui.strings["bar.calls"] == "Дзвінки")
        }

        @Test("Selecting a theme takes effect immediately", arguments: [(1, false), (2, true)])
        func look(index: Int, isDark: Bool) throws {
            bench.tab(to: ControlID("settings.theme.\(index)"))
            bench.press(.space)
            bench.showSettings()
            let corner = try #require(bench.window.snapshot())[3, 3]
            #expect((corner.red < 0x40) == isDark)
        }

        @Test("Choosing a device replaces a missing one, and choosing the default clears the selection")
        func devices() {
            let desk = MediaDevice(.microphone, id: "alsa.desk", name: "Desk microphone")
            let gone = MediaDevice(.microphone, id: "alsa.gone", name: "Headset")
            bench.settings.send(.setDevice(gone, .microphone))
            bench.settings.show([desk])
            bench.tab(to: "settings.microphone")
            bench.press(.space)
            bench.settle()
            bench.click("settings.microphone.1")
            #expect(settings.devices == [.microphone: desk])
            bench.settle()
            bench.press(.space)
            bench.settle()
            bench.click("settings.microphone.0")
            #expect(settings.devices.isEmpty)
        }

        @Test("The navigation bar opens the settings, and Esc leaves them")
        func bar() async throws {
            let shell = try #require(bench.shell)
            async let outcome = shell.run()
            let login = await bench.login()
            bench.show(.login(login))
            bench.click("bar.settings")
            for await screen in shell.screens where screen.destination == .settings { break }
            bench.showSettings()
            bench.press(.escape)
            for await screen in shell.screens where screen.destination == .calls { break }
            shell.quit()
            _ = await outcome
        }

        @Test("A destination keeps the keyboard focus if it was selected with the keyboard")
        func focus() async throws {
            bench.tab(to: "bar.calls")
            bench.press(.space)
            bench.show(.login(await bench.login()))
            #expect(bench.window.screenHost.ui.focus.focused == "bar.calls")
            bench.click("bar.settings")
            bench.showSettings()
            bench.click("bar.calls")
            bench.show(.login(await bench.login()))
            #expect(bench.window.screenHost.ui.focus.focused == "login.username")
        }

        @Test("A ringing call appears on top of the settings, closes an open menu, and can be declined there")
        func ring() async throws {
            let shell = try #require(bench.shell)
            guard case .login(let login) = shell.calls.currentScreen else { throw CancellationError() }
            async let outcome = shell.run()
            login.send(.setUsername("Ann"))
            login.send(.setRoom("42"))
            login.send(.proceed)
            var room: RoomViewModel?
            for await case .room(let shown) in shell.calls.screens {
                room = shown
                break
            }
            bench.showSettings()
            bench.tab(to: "settings.language")
            bench.press(.space)
            bench.settle()
            room?.store.update { state in
                state.connection = .connected
                state.ring = RoomState.Ring(peer: "Bob")
            }
            bench.settle()
            bench.settle()
            let ui = bench.window.screenHost.ui
            #expect(ui.openMenu == nil && ui.places["ring.accept"] != nil)
            bench.window.showTitle()
            #expect(bench.window.shownTitle.isRinging)
            bench.press(.escape)
            #expect(room?.store.state.ring == nil)
            bench.settle()
            #expect(bench.window.screenHost.shown == .settings(bench.settings))
            shell.quit()
            _ = await outcome
        }

        @Test("The selected text scale stays in view when the page is scaled")
        func textScale() async throws {
            let bench = try await ScreenBench(width: 960, height: 640, hasBar: true)
            bench.showSettings()
            let ui = bench.window.screenHost.ui
            let last = ControlID("settings.text").child(4)
            bench.tab(to: last)
            bench.click(last)
            bench.showSettings()
            bench.settle()
            let place = try #require(ui.places[last])
            #expect(ui.painter.scale == 2)
            #expect(place.y >= 0 && place.bottom <= ui.pageArea.height)
        }

        @Test("The navigation bar is hidden during a call, and other screens leave room for it")
        func room() async throws {
            let ui = bench.window.screenHost.ui
            #expect(ui.barHeight > 0 && ui.pageArea.height == ui.area.height - ui.barHeight)
            bench.show(.call(await bench.call()))
            #expect(ui.barHeight == 0 && !ui.focus.order.contains("bar.settings"))
        }
    }
}
