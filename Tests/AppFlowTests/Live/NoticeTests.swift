import Basics
import CallCore
import CallTesting
import ChatCore
import LiveCore
import Testing

@testable import AppFlow

@Suite("Notices, and files that the user opens", .timeLimit(.minutes(4)))
@MainActor
struct NoticeTests {
    private struct NoDialog: Error {}

    private let streams = SteadyStreams()

    /// Runs an app with a player whose dialog for choosing a file is `chooseFile`.
    private func app<Value: Sendable>(
        choosing chooseFile: @escaping @Sendable (FileDialog) async throws -> String? = { _ in nil },
        _ body: @escaping @Sendable (AppDriver) async throws -> Value
    ) async throws -> Value {
        let player = LivePlayer(streams, options: LiveOptions())
        return try await Simulation.run { clock in
            await withBench(clock) { bench in
                try await bench.app(player: player, hasChat: true, chooseFile: chooseFile) {
                    try await body($0)
                }.value
            }
        }.unwrapped()
    }

    /// Waits until notices are shown, and returns their contents.
    private nonisolated func contents(of app: AppDriver) async -> [Notice.Content] {
        for await state in app.shell.notices.store.states where !state.shown.isEmpty {
            return state.shown.map(\.content)
        }
        return []
    }

    @Test("The newest three notices are shown, and a removed notice is not shown again")
    func limit() {
        let notices = Notices()
        for number in 1...4 { notices.post(.trashed("\(number)")) }
        #expect(notices.store.state.shown.map(\.content) == [.trashed("2"), .trashed("3"), .trashed("4")])
        notices.remove(3)
        notices.post(.deleted("5"))
        #expect(notices.store.state.shown.map(\.id) == [2, 4, 5])
        for id in 1...5 { notices.remove(id) }
        notices.post(.deleted("6"))
        #expect(notices.store.state.shown.map(\.id) == [6])
    }

    @Test("A file that is dropped on the window is played at Home")
    func drop() async throws {
        try await app { app in
            app.shell.drop(.file("/films/a.mp4"))
            for await case .home(let model) in app.shell.screens {
                for await playback in model.live.store.states where playback.state == .playing { break }
                break
            }
        }
        #expect(streams.addresses == [.file("/films/a.mp4")])
    }

    @Test("A file dropped on an open conversation is sent there instead of played")
    func dropInChat() async throws {
        let uploads = try await app { app in
            let model = try #require(app.shell.chats).model
            app.shell.show(.chats)
            for await case .chats in app.shell.screens { break }
            model.store.update { state in
                state.own = 1000
                state.chat = ChatsViewModel.OpenChat(ChatPerson(id: 2, name: "Bob"))
                state.chat?.conversation.mode = .extended
            }
            app.shell.drop(.file("/films/a.mp4"))
            for await state in model.store.states where !state.transfers.uploads.isEmpty {
                return state.transfers.uploads.map(\.path)
            }
            return []
        }
        #expect(uploads == ["/films/a.mp4"] && streams.addresses.isEmpty)
    }

    @Test("Dropping something that cannot be played only shows a notice")
    func refusedDrop() async throws {
        let (notices, screen) = try await app { app -> ([Notice.Content], Destination?) in
            app.shell.drop(nil)
            let notices = await contents(of: app)
            for await screen in app.shell.screens { return (notices, screen.destination) }
            throw CancellationError()
        }
        #expect(notices == [.notPlayable] && screen == .calls)
        #expect(streams.addresses.isEmpty)
    }

    @Test("A file chosen in the file dialog is played, and only one dialog is open at a time")
    func chosenFile() async throws {
        let titles = StateStore<[String]>([])
        let answers = StateStore<String?>(nil)
        try await app { dialog in
            titles.update { $0.append(dialog.title) }
            for await answer in answers.states { if let answer { return answer } }
            return nil
        } _: { app in
            let home = try await app.home()
            home.send(.chooseFile(FileDialog(title: "A", kind: "")))
            home.send(.chooseFile(FileDialog(title: "B", kind: "")))
            #expect(home.store.state.isChoosingFile)
            answers.update { $0 = "/films/b.mkv" }
            for await playback in home.live.store.states
            where playback.address == .file("/films/b.mkv") && playback.state == .playing { break }
            for await state in home.store.states where !state.isChoosingFile { break }
        }
        #expect(titles.state == ["A"])
    }

    @Test("Cancelling the file dialog has no effect, and a failure to open it is reported in a notice")
    func missingDialog() async throws {
        let count = StateStore(0)
        let notices = try await app { _ in
            count.update { $0 += 1 }
            if count.state == 1 { return nil }
            throw NoDialog()
        } _: { app -> [Notice.Content] in
            let home = try await app.home()
            for await playback in home.live.store.states where playback.state == .playing { break }
            home.send(.chooseFile(FileDialog(title: "A", kind: "")))
            for await state in home.store.states where !state.isChoosingFile { break }
            home.send(.chooseFile(FileDialog(title: "A", kind: "")))
            return await contents(of: app)
        }
        #expect(notices == [.noFileDialog])
        #expect(streams.addresses == [.file("/videos/one.mp4")])
    }
}
