import Basics
import CSDL
import CallCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("The window's title")
    @WindowActor struct TitleTests {
        private func title(of bench: ScreenBench) -> String {
            String(cString: SDL_GetWindowTitle(SDL_GetWindowFromID(bench.window.id)))
        }

        @Test("The title shows the state and the caller in the user's language")
        func room() async throws {
            let bench = try await ScreenBench(language: .ukrainian)
            let room = try await bench.room()
            bench.show(.room(room))
            #expect(title(of: bench) == "Кімната 42 · Не під’єднано · callrunner")
            room.store.update { state in
                state.connection = .connected
                state.ring = RoomState.Ring(peer: "Bob")
            }
            bench.window.showTitle()
            #expect(title(of: bench) == "Bob телефонує вам · callrunner")
            #expect(bench.window.shownTitle.isRinging)
            room.store.update { $0.ring = nil }
            bench.window.showTitle()
            #expect(!bench.window.shownTitle.isRinging)
        }

        @Test("Before a room is joined, the window title is “Calls · callrunner”")
        func login() async throws {
            let bench = try await ScreenBench(hasBar: true)
            bench.show(.login(await bench.login()))
            #expect(title(of: bench) == "Calls · callrunner")
        }

        @Test("The title of a call begins with the peer's name")
        func call() async throws {
            let bench = try await ScreenBench()
            let call = await bench.call("Bob", .ringing) { $0.isIncoming = true }
            bench.show(.call(call))
            #expect(title(of: bench) == "Bob is calling you · callrunner")
            call.store.update { $0.call = .connected }
            bench.window.showTitle()
            #expect(title(of: bench) == "Bob · Connected · callrunner")
        }

        @Test("The title is a single line of bounded length for any name")
        func hostile() async throws {
            let bench = try await ScreenBench()
            let call = await bench.call("Bob\n\u{1B}[31m" + String(repeating: "x", count: 500))
            bench.show(.call(call))
            #expect(title(of: bench).hasPrefix("Bob[31mxxx") && title(of: bench).count <= 200)
        }
    }
}
