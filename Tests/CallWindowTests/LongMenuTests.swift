import CallCore
import CallFlow
import Testing

@testable import CallWindow

extension CallWindowTests {
    @Suite("A menu longer than the window")
    @WindowActor struct LongMenuTests {
        private static let count = 30

        /// Opens the loudspeaker menu of a call in a small window.
        private func opened(used: Int = 1) async throws -> (stage: ScreenBench, call: CallViewModel) {
            let stage = try await ScreenBench(width: 480, height: 640)
            let call = await stage.call()
            stage.show(.call(call))
            stage.click("call.devices")
            call.store.update { state in
                state.devices.present = (1...Self.count).map { number in
                    CallDevice(.speaker, id: "\(number)", name: "Loudspeaker \(number)")
                }
                state.devices.use.used = [CallDevice(.speaker, id: "\(used)", name: "")]
                state.devices.use.selectable = [.speaker]
            }
            stage.settle()
            stage.click("devices.speaker")
            stage.settle()
            return (stage, call)
        }

        private func place(_ stage: ScreenBench, _ index: Int) throws -> Box {
            try #require(stage.window.stage.ui.places[ControlID("devices.speaker").child(index)])
        }

        private func isVisible(_ box: Box) -> Bool { box.y >= 0 && box.bottom <= 640 }

        @Test("The wheel scrolls to the last choice, which can then be selected")
        func wheel() async throws {
            let (stage, call) = try await opened()
            #expect(try !isVisible(place(stage, Self.count)))
            stage.handle(.move(Point(240, 320)))
            for _ in 0..<100 { stage.handle(.wheel(-1)) }
            stage.settle()
            let last = try place(stage, Self.count)
            #expect(isVisible(last))
            stage.click(last.center.x, last.center.y)
            #expect(stage.kept.last == .select("\(Self.count)", as: .speaker))
            #expect(call.store.state.devices.chosen(.speaker) == "\(Self.count)")
        }

        @Test("The arrow keys reach the last choice, and the focused choice is always in view")
        func keyboard() async throws {
            let (stage, _) = try await opened()
            for _ in 0..<Self.count {
                stage.press(.down)
                stage.settle()
                let focused = try #require(stage.window.stage.ui.focus.focused)
                #expect(isVisible(try #require(stage.window.stage.ui.places[focused])), "\(focused.name)")
            }
            stage.press(.enter)
            #expect(stage.kept.last?.isSelection == true)
        }

        @Test("The selected choice is in view when the menu opens", arguments: [1, 15, 30])
        func chosen(number: Int) async throws {
            let (stage, _) = try await opened(used: number)
            #expect(isVisible(try place(stage, number)))
        }

        @Test("A choice outside the visible part of the menu cannot be clicked")
        func outside() async throws {
            let (stage, _) = try await opened(used: 30)
            let first = try place(stage, 0)
            #expect(first.bottom < 0)
            stage.click(first.center.x, max(1, first.center.y))
            #expect(stage.kept == [.devices])
        }
    }
}

extension ControlAction {
    fileprivate var isSelection: Bool { if case .select = self { true } else { false } }
}
