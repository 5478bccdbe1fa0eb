import Basics
import CSDL
import CallCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("The device sheet")
    @WindowActor struct DeviceSheetTests {
        private static let devices = [
            MediaDevice(.microphone, id: "desk", name: "Desk"),
            MediaDevice(.speaker, id: "lamp", name: "Lamp"),
            MediaDevice(.speaker, id: "room", name: "Room"),
        ]

        /// Opens the sheet in a call that uses the system's default loudspeaker.
        private func opened(
            _ change: @Sendable (inout DeviceChoice) -> Void = { _ in }
        ) async throws -> (bench: ScreenBench, call: CallViewModel) {
            let bench = try await ScreenBench(width: 960, height: 640)
            let call = await bench.call { $0.heldSince = .now }
            bench.show(.call(call))
            SolidFrame.red.sized(640, 360).show(on: bench.window.sink)
            bench.settle()
            bench.handle(.move(Point(400, 300)))
            bench.click("call.devices")
            #expect(bench.kept == [.listDevices])
            call.store.update { state in
                state.devices.present = Self.devices
                state.devices.use.used = [MediaDevice(.speaker, id: MediaDevice.standard, name: "default")]
                state.devices.use.selectable = [.speaker]
                change(&state.devices)
            }
            bench.settle()
            return (bench, call)
        }

        private func focused(_ bench: ScreenBench) -> ControlID? { bench.window.screenHost.ui.focus.focused }

        private func places(_ bench: ScreenBench) -> Set<String> {
            Set(bench.window.screenHost.ui.places.keys.map(\.name).filter { $0.hasPrefix("devices.") })
        }

        @Test("A loudspeaker can be selected with the mouse")
        func mouse() async throws {
            let (bench, call) = try await opened()
            bench.click("devices.speaker")
            bench.settle()
            bench.click("devices.speaker.2")
            #expect(bench.kept.last == .select("room", as: .speaker))
            #expect(call.store.state.devices.chosen(.speaker) == "room")
        }

        @Test("An open menu closes when its row disappears")
        func gone() async throws {
            let (bench, call) = try await opened()
            bench.click("devices.speaker")
            #expect(bench.window.screenHost.ui.openMenu != nil)
            call.store.update { $0.devices.use.selectable = [] }
            bench.settle()
            #expect(bench.window.screenHost.ui.openMenu == nil)
            bench.press(.escape)
            bench.settle()
            #expect(places(bench).isEmpty)
        }

        @Test("The device sheet can be operated by keyboard without sending call commands")
        func keyboard() async throws {
            let bench = try await ScreenBench(width: 960, height: 640)
            let call = await bench.call()
            bench.show(.call(call))
            while focused(bench) != "call.devices" { bench.press(.tab(isBackwards: false)) }
            bench.press(.enter)
            call.store.update { state in
                state.devices.present = Self.devices
                state.devices.use.used = [MediaDevice(.speaker, id: MediaDevice.standard, name: "default")]
                state.devices.use.selectable = [.speaker, .microphone]
            }
            bench.settle()
            while focused(bench) != "devices.speaker" { bench.press(.tab(isBackwards: false)) }
            bench.press(.enter)
            bench.settle()
            bench.press(.down)
            bench.press(.enter)
            #expect(bench.kept == [.listDevices, .select("lamp", as: .speaker)])
            bench.press(.escape)
            bench.settle()
            #expect(try !#require(bench.window.screenHost.shownView as? CallScreen).choosesDevices)
            #expect(places(bench) == [])
            #expect(bench.commands == [])
            #expect(focused(bench) == "call.devices")
        }

        @Test("While the sheet is open, the controls do not fade, and no control under it can be used")
        func open() async throws {
            let (bench, _) = try await opened()
            bench.settle()
            #expect(try #require(bench.window.screenHost.shownView as? CallScreen).isAwake)
            #expect(bench.window.screenHost.ui.places["call.end"] == nil)
            bench.click(20, 20)
            bench.settle()
            #expect(places(bench) == [])
        }

        @Test("If no device can be selected, a text replaces the menu")
        func sentences() async throws {
            let (bench, call) = try await opened()
            #expect(places(bench) == ["devices.0", "devices.speaker"])
            let unused = try #require(bench.window.snapshot())
            call.store.update { $0.devices.present = [] }
            bench.settle()
            #expect(places(bench) == ["devices.0"])
            #expect(try #require(bench.window.snapshot()).rgb != unused.rgb)
            call.store.update { $0.devices.present = nil }
            bench.settle()
            #expect(places(bench) == ["devices.0"])
        }

        @Test("The refusal of a selected device is shown in the device sheet")
        func refusal() async throws {
            let (bench, call) = try await opened()
            let before = try #require(bench.window.snapshot())
            call.store.update { state in
                state.devices.refusals[.speaker] = ControlRefusal(code: "no-device", message: "it is gone")
            }
            bench.settle()
            #expect(try #require(bench.window.snapshot()).rgb != before.rgb)
        }

        @Test("All call buttons are inside a narrow window", arguments: [480, 719, 720])
        func narrow(width: Int) async throws {
            let bench = try await ScreenBench(width: width, height: 640)
            bench.show(.call(await bench.call()))
            let names = "mute camera record snapshot devices statistics full-screen end".split(separator: " ")
            for name in names {
                let place = try #require(bench.window.screenHost.ui.places[ControlID("call.\(name)")])
                #expect(place.x >= 0 && place.right <= Double(width), "\(name)")
            }
        }

        @Test(
            "The buttons of a very narrow window form two rows without overlap",
            arguments: [320, 400, 479]
        )
        func narrower(width: Int) async throws {
            let bench = try await ScreenBench(width: width, height: 480)
            bench.show(.call(await bench.call()))
            let names = "mute camera record snapshot devices statistics full-screen end".split(separator: " ")
            let places = try names.map {
                try #require(bench.window.screenHost.ui.places[ControlID("call.\($0)")])
            }
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
