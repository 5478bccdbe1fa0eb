import AppFlow
import Basics
import CSDL
import CallCore
import Testing

@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("Unusual input and names")
    @WindowActor struct HostileTextTests {
        private nonisolated static let names: [String] = [
            String(repeating: "W", count: 64), "שלום עליכם", "مرحبا بالعالم", "👩‍👩‍👧‍👦👩🏽‍🚀🇺🇦", "名無しの権兵衛",
            "e" + String(repeating: "\u{301}", count: 60), "\u{202E}gnissim\u{2066}", "\u{FEFF}",
            "a\u{0}b\u{1B}[31m",
        ]

        @Test(
            "Pasting ten megabytes into a field inserts at most its maximum length",
            arguments: ["x", "7", "Ж", "🙂"]
        )
        func book(letter: String) async throws {
            let bench = try await ScreenBench()
            let login = await bench.login()
            bench.show(.login(login))
            #expect(SDL_SetClipboardText(String(repeating: letter, count: 10_000_000)) == 0)
            defer { SDL_SetClipboardText("") }
            for field in ["login.username", "login.room"] as [ControlID] {
                bench.click(field)
                bench.settle()
                bench.edit(.v, ctrl: true)
            }
            #expect(login.store.state.username.count <= LoginViewModel.longestUsername)
            #expect(login.store.state.room.count <= LoginViewModel.longestRoom)
            bench.click("login.username")
            bench.settle()
            bench.edit(.a, ctrl: true)
            bench.type("Ann")
            #expect(login.store.state.username == "Ann")
        }

        @Test("Characters that would break a line are drawn as spaces, and all others are unchanged")
        func lineBreaks() {
            let broken = "a\u{0}b\n\u{85}\u{2028}c\u{2029}\u{7F}"
            #expect(Painter.printable(broken) == "a b   c  ")
            #expect(Painter.printable("Ґ 👩🏽‍🚀 \u{202E}") == "Ґ 👩🏽‍🚀 \u{202E}")
        }

        @Test("A peer with any name is displayed in the room, while ringing, and in a call", arguments: names)
        func peer(name: String) async throws {
            let bench = try await ScreenBench()
            let room = try await bench.room { state in
                state.connection = .connected
                state.peer = Participant(username: name, role: .callee)
                state.start = .call
            }
            bench.show(.room(room))
            #expect(bench.window.screenHost.ui.places["room.start"] != nil)
            room.store.update { $0.ring = RoomState.Ring(peer: name) }
            bench.settle()
            let accept = try #require(bench.window.screenHost.ui.places["ring.accept"])
            #expect(bench.window.screenHost.ui.area.contains(accept))
            let call = await bench.call(name, .awaitingAnswer)
            bench.show(.call(call))
            call.store.update { state in
                state.call = .connected
                state.heldSince = .now
            }
            bench.settle()
            #expect(bench.window.screenHost.ui.places["call.end"] != nil)
        }

        @Test("A user with any valid name is shown in the room", arguments: names.dropLast())
        func ourselves(name: String) async throws {
            guard (try? Username(name)) != nil else { return }
            let bench = try await ScreenBench()
            bench.show(.room(try await bench.room(name)))
            #expect(bench.window.screenHost.ui.places["room.logout"] != nil)
        }
    }
}
