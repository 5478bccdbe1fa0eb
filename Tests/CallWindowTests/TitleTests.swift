import CSDL
import CallCore
import Testing

@testable import CallFlow
@testable import CallWindow

extension CallWindowTests {
    @Suite("The window's title")
    @WindowActor struct TitleTests {
        private func title(of stage: ScreenBench) -> String {
            String(cString: SDL_GetWindowTitle(SDL_GetWindowFromID(stage.window.id)))
        }

        @Test("The title shows the state and the caller in the user's language")
        func room() async throws {
            let stage = try await ScreenBench(language: .ukrainian)
            let room = try await stage.room()
            stage.show(.room(room))
            #expect(title(of: stage) == "Кімната 42 · Не під’єднано · callrunner")
            room.store.update { state in
                state.connection = .connected
                state.ring = RoomState.Ring(peer: "Bob")
            }
            stage.window.showTitle(of: .room(room))
            #expect(title(of: stage) == "Bob телефонує вам · callrunner")
            #expect(stage.window.told.isRinging)
            room.store.update { $0.ring = nil }
            stage.window.showTitle(of: .room(room))
            #expect(!stage.window.told.isRinging)
        }

        @Test("The title of a call begins with the peer")
        func call() async throws {
            let stage = try await ScreenBench()
            let call = await stage.call("Bob", .ringing) { $0.isIncoming = true }
            stage.show(.call(call))
            #expect(title(of: stage) == "Bob is calling you · callrunner")
            call.store.update { $0.call = .connected }
            stage.window.showTitle(of: .call(call))
            #expect(title(of: stage) == "Bob · Connected · callrunner")
        }

        @Test("The title is a single line of bounded length for any name")
        func hostile() async throws {
            let stage = try await ScreenBench()
            let call = await stage.call("Bob\n\u{1B}[31m" + String(repeating: "x", count: 500))
            stage.show(.call(call))
            #expect(title(of: stage).hasPrefix("Bob[31mxxx") && title(of: stage).count <= 200)
        }
    }
}
