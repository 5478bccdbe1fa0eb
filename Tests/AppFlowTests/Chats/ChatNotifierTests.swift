import Basics
import CallTesting
import ChatCore
import Testing

@testable import AppFlow

extension ChatCallTests {
    @Suite("The notifications of the desktop", .timeLimit(.minutes(4)))
    @MainActor
    struct Notifications {
        /// Runs `body` with Bob's app, whose window is not in front.
        private func behind(_ body: @escaping @Sendable (Side, FakeDesktop) async throws -> Void) async throws
        {
            try await ChatCallTests().pair { _, bob, _ in
                try await bob.chats()
                bob.shell.show(.settings)
                bob.shell.isInFront.update { $0 = false }
                try await body(bob, bob.chat.desktop)
            }
        }

        private func message(_ number: Int, from sender: ChatPerson) -> ChatEvent {
            var message = ChatMessage(
                from: sender.name,
                to: "Bob",
                text: "text \(number)",
                time: ChatTime(microseconds: Int64(number))
            )
            (message.id, message.fromID, message.toID) = ("m\(number)", sender.id, 1001)
            return .message(message)
        }

        @Test("While the window is in the background, a message shows a notification until it is read")
        func messages() async throws {
            try await behind { bob, desktop in
                bob.chat.inbox.tell(await message(1, from: ann), with: 1000)
                await desktop.until { $0[.messages(from: 1000)]?.count == 1 }
                bob.chat.inbox.tell(await message(2, from: ann), with: 1000)
                bob.chat.inbox.tell(await message(3, from: eve), with: 1002)
                await desktop.until {
                    $0[.messages(from: 1000)]?.count == 2 && $0[.messages(from: 1002)] != nil
                }
                #expect(desktop.state.state.shown[.messages(from: 1000)]?.person.name == "Ann")
                bob.chat.inbox.tell(.read(id: "m2", from: 1001), with: 1000)
                await desktop.until { Set($0.keys) == [.messages(from: 1002)] }
            }
        }

        @Test("A notification shows the text if that is enabled, and none is shown if notifications are off")
        func texts() async throws {
            try await behind { bob, desktop in
                bob.shell.settings.model.send(.setNotifications(.off))
                bob.chat.inbox.tell(await message(1, from: ann), with: 1000)
                bob.chat.inbox.tell(.call(room: 5_000_000_000_700_007, from: 1002))
                _ = try await bob.ring()
                bob.chat.inbox.tell(.hangUp(room: 5_000_000_000_700_007, from: 1002))
                try await bob.silence()
                bob.shell.settings.model.send(.setNotifications(.texts))
                bob.chat.inbox.tell(await message(2, from: ann), with: 1000)
                await desktop.until { $0[.messages(from: 1000)]?.text == "text 2" }
                #expect(desktop.state.state.count == 1)
                guard case .message(var file) = await message(3, from: ann) else { return }
                (file.text, file.media) = (
                    "a\u{202E}gpj.exe", ChatMedia(id: "a", url: "/a", type: "text/plain", bytes: 1)
                )
                bob.chat.inbox.tell(.message(file), with: 1000)
                await desktop.until { $0[.messages(from: 1000)]?.text == "agpj.exe" }
            }
        }

        @Test("No notification is shown while the window is in front, or for a muted person")
        func silent() async throws {
            try await behind { bob, desktop in
                bob.shell.isInFront.update { $0 = true }
                bob.chat.inbox.tell(await message(1, from: ann), with: 1000)
                for await state in try #require(bob.shell.chats).inbox.states
                where state.state[with: 1000]?.unread == 1 { break }
                bob.shell.isInFront.update { $0 = false }
                try bob.model.store.update { $0.muted = [1000] }
                bob.chat.inbox.tell(await message(2, from: ann), with: 1000)
                bob.chat.inbox.tell(await message(3, from: eve), with: 1002)
                await desktop.until { $0[.messages(from: 1002)] != nil }
                #expect(desktop.state.state.count == 1)
            }
        }

        @Test("Messages in the open conversation are marked as read once the window is in front again")
        func unseen() async throws {
            try await behind { bob, desktop in
                try await bob.talk(with: ann)
                let connection = await bob.chat.connection(0)
                let own = await message(1, from: ann)
                connection.tell(own)
                bob.chat.inbox.tell(own, with: 1000)
                await desktop.until { $0[.messages(from: 1000)] != nil }
                #expect(connection.sent.state.isEmpty)
                bob.shell.isInFront.update { $0 = true }
                #expect(await connection.frames(1) == [ChatRequest.Envelope(.read(id: "m1")).text])
            }
        }

        @Test("A click on a notification opens the conversation and raises the window")
        func click() async throws {
            try await behind { bob, desktop in
                bob.chat.inbox.tell(await message(1, from: ann), with: 1000)
                await desktop.until { $0[.messages(from: 1000)] != nil }
                desktop.click(1000)
                try await bob.conversation(with: ann)
                #expect(bob.shell.raises.state == 1)
            }
        }

        @Test("A call shows a notification while it rings, and a click on it raises the window")
        func ring() async throws {
            try await behind { bob, desktop in
                try await bob.ring(in: 5_000_000_000_700_007, by: ann)
                await desktop.until { $0[.call(from: 1000)] != nil }
                desktop.click(1000)
                for await count in bob.shell.raises.states where count == 1 { break }
                #expect(Screen.calls(bob.shell.calls.currentScreen).hasBar)
                bob.chat.inbox.tell(.hangUp(room: 5_000_000_000_700_007, from: 1000))
                await desktop.until { $0.isEmpty }
            }
        }
    }
}
