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

        @Test("A toast disappears after five seconds, for which the window needs no event")
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

        @Test("While the pointer is on a toast, it stays; afterwards it has the rest of its time")
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

        @Test("A toast is closed by its button, also from the keyboard; the newest is the lowest")
        func closing() throws {
            notices.post(.trashed("one"))
            notices.post(.cannotPlay("two", reason: "it is no film"))
            pass(0)
            pass(1)
            let (upper, lower) = (try button(1), try button(2))
            #expect(upper.bottom < lower.y && lower.bottom < ui.pageArea.height)
            bench.click(lower.center.x, lower.center.y)
            #expect(shown == [1])
            bench.tab(to: "toast.1")
            bench.press(.enter)
            #expect(shown.isEmpty)
        }
    }
}
