import CSDL
import CallCore
import Testing

@testable import CallFlow
@testable import CallWindow

extension CallWindowTests {
    @Suite("The device sheet")
    @WindowActor struct DeviceSheetTests {
        private static let devices = [
            CallDevice(.microphone, id: "desk", name: "Desk"),
            CallDevice(.speaker, id: "lamp", name: "Lamp"),
            CallDevice(.speaker, id: "room", name: "Room"),
        ]

        /// Opens the sheet in a call that uses the system's default loudspeaker.
        private func opened(
            _ change: @Sendable (inout DeviceChoice) -> Void = { _ in }
        ) async throws -> (stage: ScreenBench, call: CallViewModel) {
            let stage = try await ScreenBench(width: 960, height: 640)
            let call = await stage.call { $0.heldSince = .now }
            stage.show(.call(call))
            SolidFrame.red.sized(640, 360).show(on: stage.window.sink)
            stage.settle()
            stage.handle(.move(Point(400, 300)))
            stage.click("call.devices")
            #expect(stage.kept == [.devices])
            call.store.update { state in
                state.devices.present = Self.devices
                state.devices.use.used = [CallDevice(.speaker, id: CallDevice.standard, name: "default")]
                state.devices.use.selectable = [.speaker]
                change(&state.devices)
            }
            stage.settle()
            return (stage, call)
        }

        private func focused(_ stage: ScreenBench) -> ControlID? { stage.window.stage.ui.focus.focused }

        private func places(_ stage: ScreenBench) -> Set<String> {
            Set(stage.window.stage.ui.places.keys.map(\.name).filter { $0.hasPrefix("devices.") })
        }

        @Test("A loudspeaker can be selected with the mouse")
        func mouse() async throws {
            let (stage, call) = try await opened()
            stage.click("devices.speaker")
            stage.settle()
            stage.click("devices.speaker.2")
            #expect(stage.kept.last == .select("room", as: .speaker))
            #expect(call.store.state.devices.chosen(.speaker) == "room")
        }

        @Test("An open menu closes when its row disappears")
        func gone() async throws {
            let (stage, call) = try await opened()
            stage.click("devices.speaker")
            #expect(stage.window.stage.ui.openMenu != nil)
            call.store.update { $0.devices.use.selectable = [] }
            stage.settle()
            #expect(stage.window.stage.ui.openMenu == nil)
            stage.press(.escape)
            stage.settle()
            #expect(places(stage).isEmpty)
        }

        @Test("The sheet is opened, used and closed by keyboard, without an effect on the call")
        func keyboard() async throws {
            let stage = try await ScreenBench(width: 960, height: 640)
            let call = await stage.call()
            stage.show(.call(call))
            while focused(stage) != "call.devices" { stage.press(.tab(isBackwards: false)) }
            stage.press(.enter)
            call.store.update { state in
                state.devices.present = Self.devices
                state.devices.use.used = [CallDevice(.speaker, id: CallDevice.standard, name: "default")]
                state.devices.use.selectable = [.speaker, .microphone]
            }
            stage.settle()
            while focused(stage) != "devices.speaker" { stage.press(.tab(isBackwards: false)) }
            stage.press(.enter)
            stage.settle()
            stage.press(.down)
            stage.press(.enter)
            #expect(stage.kept == [.devices, .select("lamp", as: .speaker)])
            stage.press(.escape)
            stage.settle()
            #expect(try !#require(stage.window.stage.shownView as? CallScreen).choosesDevices)
            #expect(places(stage) == [])
            #expect(stage.commands == [])
            #expect(focused(stage) == "call.devices")
        }

        @Test("While the sheet is open, the controls do not fade and nothing below can be reached")
        func open() async throws {
            let (stage, _) = try await opened()
            stage.settle()
            #expect(try #require(stage.window.stage.shownView as? CallScreen).isAwake)
            #expect(stage.window.stage.ui.places["call.end"] == nil)
            stage.click(20, 20)
            stage.settle()
            #expect(places(stage) == [])
        }

        @Test("A sentence replaces the menu if there is nothing to select")
        func sentences() async throws {
            let (stage, call) = try await opened()
            #expect(places(stage) == ["devices.0", "devices.speaker"])
            let unused = try #require(stage.window.snapshot())
            call.store.update { $0.devices.present = [] }
            stage.settle()
            #expect(places(stage) == ["devices.0"])
            #expect(try #require(stage.window.snapshot()).rgb != unused.rgb)
            call.store.update { $0.devices.present = nil }
            stage.settle()
            #expect(places(stage) == ["devices.0"])
        }

        @Test("A refusal is shown below its menu")
        func refusal() async throws {
            let (stage, call) = try await opened()
            let before = try #require(stage.window.snapshot())
            call.store.update { state in
                state.devices.refusals[.speaker] = ControlRefusal(code: "no-device", message: "it is gone")
            }
            stage.settle()
            #expect(try #require(stage.window.snapshot()).rgb != before.rgb)
        }

        @Test("All buttons of the bar are inside a narrow window", arguments: [480, 719, 720])
        func narrow(width: Int) async throws {
            let stage = try await ScreenBench(width: width, height: 640)
            stage.show(.call(await stage.call()))
            let names = "mute camera record snapshot devices statistics full-screen end".split(separator: " ")
            for name in names {
                let place = try #require(stage.window.stage.ui.places[ControlID("call.\(name)")])
                #expect(place.x >= 0 && place.right <= Double(width), "\(name)")
            }
        }

        @Test(
            "The buttons of a very narrow window form two rows without overlap",
            arguments: [320, 400, 479]
        )
        func narrower(width: Int) async throws {
            let stage = try await ScreenBench(width: width, height: 480)
            stage.show(.call(await stage.call()))
            let names = "mute camera record snapshot devices statistics full-screen end".split(separator: " ")
            let places = try names.map { try #require(stage.window.stage.ui.places[ControlID("call.\($0)")]) }
            for place in places {
                #expect(place.x >= 0 && place.right <= Double(width) && place.bottom <= 480)
            }
            #expect(Set(places.map(\.y)).count == 2)
            for (index, place) in places.enumerated() {
                #expect(places.dropFirst(index + 1).allSatisfy { !$0.intersects(place) })
            }
        }
    }
}
