import AppFlow
import Basics
import CallCore
import Testing

@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("A menu longer than the window")
    @WindowActor struct LongMenuTests {
        private static let count = 30

        /// Opens the loudspeaker menu of a call in a small window.
        private func opened(used: Int = 1) async throws -> (bench: ScreenBench, call: CallViewModel) {
            let bench = try await ScreenBench(width: 480, height: 640)
            let call = await bench.call()
            bench.show(.call(call))
            bench.click("call.devices")
            call.store.update { state in
                state.devices.present = (1...Self.count).map { number in
                    MediaDevice(.speaker, id: "\(number)", name: "Loudspeaker \(number)")
                }
                state.devices.use.used = [MediaDevice(.speaker, id: "\(used)", name: "")]
                state.devices.use.selectable = [.speaker]
            }
            bench.settle()
            bench.click("devices.speaker")
            bench.settle()
            return (bench, call)
        }

        private func place(_ bench: ScreenBench, _ index: Int) throws -> Box {
            try #require(bench.window.screenHost.ui.places[ControlID("devices.speaker").child(index)])
        }

        private func isVisible(_ box: Box) -> Bool { box.y >= 0 && box.bottom <= 640 }

        @Test("The wheel scrolls to the last choice, which can then be selected")
        func wheel() async throws {
            let (bench, call) = try await opened()
            #expect(try !isVisible(place(bench, Self.count)))
            bench.handle(.move(Point(240, 320)))
            for _ in 0..<100 { bench.handle(.wheel(-1)) }
            bench.settle()
            let last = try place(bench, Self.count)
            #expect(isVisible(last))
            bench.click(last.center.x, last.center.y)
            #expect(bench.kept.last == .select("\(Self.count)", as: .speaker))
            #expect(call.store.state.devices.chosen(.speaker) == "\(Self.count)")
        }

        @Test("The arrow keys reach the last choice, and the focused choice is always in view")
        func keyboard() async throws {
            let (bench, _) = try await opened()
            for _ in 0..<Self.count {
                bench.press(.down)
                bench.settle()
                let focused = try #require(bench.window.screenHost.ui.focus.focused)
                #expect(
                    isVisible(try #require(bench.window.screenHost.ui.places[focused])),
                    "\(focused.name)"
                )
            }
            bench.press(.enter)
            #expect(bench.kept.last?.isSelection == true)
        }

        @Test("The selected choice is in view when the menu opens", arguments: [1, 15, 30])
        func chosen(number: Int) async throws {
            let (bench, _) = try await opened(used: number)
            #expect(isVisible(try place(bench, number)))
        }

        @Test("A choice outside the visible part of the menu cannot be clicked")
        func outside() async throws {
            let (bench, _) = try await opened(used: 30)
            let first = try place(bench, 0)
            #expect(first.bottom < 0)
            bench.click(first.center.x, max(1, first.center.y))
            #expect(bench.kept == [.listDevices])
        }
    }
}

extension CallsCommand {
    fileprivate var isSelection: Bool { if case .select = self { true } else { false } }
}
