import Basics
import CSDL
import LiveCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("Toasts")
    @WindowActor struct ToastTests {
        private let bench: ScreenBench
        private let notices: Notices

        init() async throws {
            bench = try await ScreenBench(width: 480, height: 640, hasBar: true)
            bench.showSettings()
            notices = try #require(bench.shell?.notices)
        }

        private var ui: Interface { bench.window.screenHost.ui }
        private var shown: [Int] { notices.store.state.shown.map(\.id) }

        /// Draws the window after some seconds.
        private func pass(_ seconds: Double) {
            bench.now += seconds
            bench.window.screenHost.touch()
            bench.window.redrawIfNeeded()
        }

        /// The place of the button that closes a notice.
        private func button(_ id: Int) throws -> Box { try #require(ui.places[ControlID("toast.\(id)")]) }

        @Test("A toast disappears after five seconds even if no event arrives")
        func time() throws {
            notices.post(.trashed("one"))
            pass(0)
            #expect(shown == [1])
            let end = try #require(ui.toastsChangeAt)
            #expect(end == bench.now + 5)
            pass(4.9)
            #expect(shown == [1])
            pass(0.2)
            #expect(shown.isEmpty)
            pass(0)
            #expect(ui.toastsChangeAt == nil)
        }

        @Test("A toast stays while the pointer is on it, and afterwards for the remaining time")
        func hover() throws {
            notices.post(.trashed("one"))
            pass(0)
            pass(3)
            let box = try button(1)
            bench.handle(.move(Point(box.x - 40, box.center.y)))
            pass(60)
            #expect(shown == [1] && ui.toastsChangeAt == nil)
            bench.handle(.move(Point(5, 5)))
            pass(1.5)
            #expect(shown == [1])
            pass(1)
            #expect(shown.isEmpty)
        }

        @Test("A toast can be closed with its button or the keyboard, and the newest toast is the lowest")
        func closing() throws {
            notices.post(.trashed("one"))
            notices.post(.notPlayable)
            pass(0)
            pass(0.5)
            let (upper, lower) = (try button(1), try button(2))
            #expect(upper.bottom < lower.y && lower.bottom < ui.pageArea.height)
            bench.click(lower.center.x, lower.center.y)
            #expect(shown == [1])
            bench.handle(.move(Point(5, 5)))
            for _ in 0..<50 where ui.focus.focused != "toast.1" { bench.press(.tab(isBackwards: false)) }
            // The focus stops the time, as the pointer does.
            pass(60)
            #expect(shown == [1])
            bench.press(.enter)
            #expect(shown.isEmpty)
        }

        @Test("A click on a toast does not reach the control below it")
        func clicks() throws {
            let controls = ui.places
            for _ in 0..<Notices.limit { notices.post(.notPlayable) }
            pass(0)
            let toasts = notices.store.state.shown.map { $0.toast(ui.strings) }
            let places = ui.places(of: toasts, above: nil).map(\.box)
            let covered = places.flatMap { toast in
                controls.filter { $0.value.intersects(toast.inset(by: 4)) }.map { (toast, $0.key, $0.value) }
            }
            let (toast, id, box) = try #require(covered.first)
            let point = Point(
                max(box.x, toast.x) + 2,
                (max(box.y, toast.y) + min(box.bottom, toast.bottom)) / 2
            )
            bench.handle(.move(point))
            bench.handle(.press(point))
            #expect(ui.focus.focused != id)
            bench.handle(.release(point))
            for notice in notices.store.state.shown { notices.remove(notice.id) }
            pass(0)
            bench.handle(.press(point))
            #expect(ui.focus.focused == id)
        }

        @Test(
            "Toasts stay inside the page of a small window, and wait if they do not fit",
            arguments: [(160, 90, 1.0, 0), (480, 240, 1, 3), (480, 640, 2, 3)]
        )
        func smallWindow(width: Int, height: Int, scale: Double, count: Int) async throws {
            let bench = try await ScreenBench(width: width, height: height, hasBar: true)
            bench.settings.send(.setTextScale(scale))
            bench.showSettings()
            let notices = try #require(bench.shell?.notices)
            for _ in 0..<3 { notices.post(.notPlayable) }
            bench.window.screenHost.touch()
            bench.window.redrawIfNeeded()
            let ui = bench.window.screenHost.ui
            let toasts = notices.store.state.shown.map { $0.toast(ui.strings) }
            let placed = ui.places(of: toasts, above: nil)
            #expect(placed.allSatisfy { $0.box.y >= 0 && $0.box.bottom <= ui.pageArea.height })
            #expect(placed.count == count)
        }

        @Test("Toasts are moved above the mini player only if they would cover it")
        func obstacle() throws {
            let toast = Interface.Toast(id: 1, text: "one", tone: .good)
            let page = ui.pageArea
            let high = Box(x: page.width - 172, y: 12, width: 160, height: 90)
            let low = Box(x: page.width - 172, y: page.height - 102, width: 160, height: 90)
            let plain = try #require(ui.places(of: [toast], above: nil).first?.box)
            #expect(ui.places(of: [toast], above: high).first?.box == plain)
            let moved = try #require(ui.places(of: [toast], above: low).first?.box)
            #expect(moved.bottom < low.y)
        }
    }
}
