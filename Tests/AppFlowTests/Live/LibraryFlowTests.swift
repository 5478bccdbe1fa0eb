import AppFlow
import Basics
import CallCore
import CallTesting
import LiveCore
import Testing

@Suite("The Library", .timeLimit(.minutes(4)))
@MainActor
struct LibraryFlowTests {
    private let recordings = FakeRecordings()
    private let player = LivePlayer(SteadyStreams(), options: LiveOptions(audio: LiveAudio(isMuted: true)))

    private func app<Value: Sendable>(
        _ memory: FakeMemory = FakeMemory(),
        _ body: @escaping @Sendable (AppDriver) async throws -> Value
    ) async throws -> Value {
        try await Simulation.run { [player, recordings] clock in
            await withBench(clock) { bench in
                try await bench.app(memory, player: player, recordings: recordings) { app in
                    try await body(app)
                }.value
            }
        }.unwrapped()
    }

    private nonisolated func state(
        _ library: LibraryViewModel,
        _ holds: (LibraryViewModel.State) -> Bool
    ) async -> LibraryViewModel.State {
        for await state in library.store.states where holds(state) { return state }
        return library.store.state
    }

    private nonisolated func dialog(_ library: LibraryViewModel) async throws -> LibraryViewModel.Dialog {
        guard let dialog = await state(library, { $0.dialog != nil }).dialog else {
            throw CancellationError()
        }
        return dialog
    }

    private nonisolated func played(_ holds: (LivePlayback) -> Bool) async -> LivePlayback {
        for await playback in player.playback.states where holds(playback) { return playback }
        return player.playback.state
    }

    private func call(_ minute: Int64, _ result: PastCall.Result = .missed) throws -> PastCall {
        PastCall(
            peer: "Bob",
            room: try RoomID(1),
            isOutgoing: false,
            began: Timestamp(milliseconds: 1_769_860_800_000 + minute * 60_000),
            result: result
        )
    }

    @Test("Recordings and past calls are listed, or a sample video if there are none")
    func list() async throws {
        var content = try FlowBench.remembered(.caller)
        content.calls = [try call(1)]
        let items = try await app(FakeMemory(content)) { app in
            await state(try await app.library()) { $0.items != nil }.items
        }
        #expect(items == [.recording(FakeRecordings.recording(2)), .call(try call(1))])
        recordings.change { $0.recordings = [] }
        let samples = try await app { app in
            await state(try await app.library()) { $0.items != nil }.items
        }
        #expect(samples == [.sample(.file("/videos/one.mp4"))])
    }

    @Test("Choosing a recording plays it with sound")
    func play() async throws {
        let playback = try await app { app in
            let library = try await app.library()
            library.send(.play(FakeRecordings.recording(2).address))
            return await played { $0.state == .playing && !$0.options.audio.isMuted }
        }
        #expect(playback.address == .file("/videos/2.mkv"))
    }

    @Test("A preview is read once, even if it is requested repeatedly")
    func preview() async throws {
        let previews = try await app { app in
            let library = try await app.library()
            for _ in 0..<5 { _ = library.previews.preview(of: FakeRecordings.recording(2)) }
            for await previews in library.previews.store.states where !previews.isEmpty { return previews }
            throw CancellationError()
        }
        #expect(previews == ["/videos/2.mkv": RecordingPreview(duration: .seconds(90))])
        #expect(recordings.content.actions.filter { $0.hasPrefix("preview") }.count == 1)
    }

    @Test("A recording that is renamed while playing continues under its new name")
    func rename() async throws {
        let recording = FakeRecordings.recording(2)
        let playback = try await app { app in
            let library = try await app.library()
            library.send(.play(recording.address))
            _ = await played { $0.state == .playing }
            library.send(.askForTitle(recording))
            library.send(.setTitle("  Birthday "))
            library.send(.confirm(try await dialog(library)))
            return await played { $0.address == .file("/videos/Birthday.mkv") }
        }
        #expect(playback.address == .file("/videos/Birthday.mkv"))
        #expect(recordings.content.actions.contains("rename /videos/2.mkv to Birthday"))
    }

    @Test("A title that is taken or not a valid file name is refused")
    func refusedTitle() async throws {
        recordings.change { $0.problem = .taken }
        let dialogs = try await app { app in
            let library = try await app.library()
            library.send(.askForTitle(FakeRecordings.recording(2)))
            library.send(.setTitle("a/b"))
            library.send(.confirm(try await dialog(library)))
            func problem(_ expected: LibraryViewModel.TitleProblem) -> (LibraryViewModel.State) -> Bool {
                {
                    if case .renaming(_, _, expected?) = $0.dialog { true } else { false }
                }
            }
            let invalid = await state(library, problem(.invalid)).dialog
            library.send(.setTitle("other"))
            library.send(.confirm(try await dialog(library)))
            let taken = await state(library, problem(.refused(.taken))).dialog
            library.send(.cancel)
            return [invalid, taken, library.store.state.dialog]
        }
        let recording = FakeRecordings.recording(2)
        #expect(
            dialogs == [
                .renaming(recording, text: "a/b", problem: .invalid),
                .renaming(recording, text: "other", problem: .refused(.taken)), nil,
            ]
        )
    }

    @Test("A deleted recording is moved to the trash, and stops if it is playing")
    func trash() async throws {
        let recording = FakeRecordings.recording(2)
        let items = try await app { app in
            let library = try await app.library()
            library.send(.play(recording.address))
            _ = await played { $0.state == .playing }
            library.send(.askToDelete(recording))
            library.send(.confirm(try await dialog(library)))
            _ = await played { $0.state == .empty }
            return await state(library) { $0.items?.contains(.recording(recording)) == false }.items
        }
        #expect(items == [.sample(.file("/videos/one.mp4"))])
        #expect(recordings.content.actions.contains("trash /videos/2.mkv"))
    }

    @Test("Without a trash, deletion requires a second dialog, which a double click does not confirm")
    func noTrash() async throws {
        recordings.change { $0.noTrash = "not supported" }
        let recording = FakeRecordings.recording(2)
        let asked = try await app { app in
            let library = try await app.library()
            library.send(.askToDelete(recording))
            let first = try await dialog(library)
            library.send(.confirm(first))
            library.send(.confirm(first))
            guard let second = await state(library, { $0.dialog != first }).dialog else {
                throw CancellationError()
            }
            library.send(.confirm(first))
            library.send(.confirm(second))
            _ = await state(library) { $0.items?.contains(.recording(recording)) == false }
            return second
        }
        #expect(asked == .deleting(recording, trashFailure: "not supported"))
        let changes = recordings.content.actions.filter { $0 != "list" && !$0.hasPrefix("preview") }
        #expect(changes == ["trash /videos/2.mkv", "delete /videos/2.mkv"])
    }

    @Test("A late failure to move a file to the trash does not replace a dialog opened meanwhile")
    func otherQuestion() async throws {
        let second = FakeRecordings.recording(3)
        recordings.change { content in
            content.recordings.append(second)
            content.noTrash = "not supported"
        }
        let dialogs = try await app { app in
            let library = try await app.library()
            library.send(.askToDelete(FakeRecordings.recording(2)))
            library.send(.confirm(try await dialog(library)))
            library.send(.cancel)
            library.send(.askForTitle(second))
            // The flow handles one after the other, so the first answer is there before this one.
            library.send(.reveal(second))
            await recordings.did("reveal /videos/3.mkv")
            return library.store.state.dialog
        }
        #expect(dialogs == .renaming(second, text: "Recording 3", problem: nil))
    }

    @Test("If no file manager can show a recording, a notice contains its path")
    func notRevealed() async throws {
        recordings.change { $0.problem = .failed("Operation not supported") }
        let (notices, problem) = try await app { app in
            let library = try await app.library()
            library.send(.reveal(FakeRecordings.recording(2)))
            for await state in app.shell.notices.store.states where !state.shown.isEmpty {
                return (state.shown.map(\.content), library.store.state.problem)
            }
            return ([], nil)
        }
        #expect(notices == [.notRevealed("/videos/2.mkv")] && problem == nil)
    }

    @Test("The app can be closed while the disk hangs")
    func hangingDisk() async throws {
        recordings.change { content in
            content.hangs = true
            content.recordings = (1...9).map(FakeRecordings.recording)
        }
        try await app { app in
            let library = try await app.library()
            for number in 1...9 { _ = library.previews.preview(of: FakeRecordings.recording(number)) }
            library.send(.reveal(FakeRecordings.recording(1)))
            await recordings.did("preview")
            await recordings.did("reveal /videos/1.mkv")
        }
        #expect(recordings.content.actions.filter { $0.hasPrefix("preview") }.count == 1)
    }

    @Test("The newest preview requests are served first, and dropped requests can be repeated")
    func queue() async throws {
        try await app { app in
            let library = try await app.library()
            recordings.change { $0.hangs = true }
            _ = library.previews.preview(of: FakeRecordings.recording(99))
            await recordings.did("preview /videos/99.mkv")
            for number in 0...40 { _ = library.previews.preview(of: FakeRecordings.recording(number)) }
            recordings.change { $0.hangs = false }
            for await previews in library.previews.store.states where previews.count >= 25 { break }
            _ = library.previews.preview(of: FakeRecordings.recording(0))
            await recordings.did("preview /videos/0.mkv")
        }
        let previews = recordings.content.actions.filter { $0.hasPrefix("preview") }
        #expect(previews.count == 26 && Set(previews).count == previews.count)
        let first = try #require(previews.firstIndex(of: "preview /videos/40.mkv"))
        let last = try #require(previews.firstIndex(of: "preview /videos/0.mkv"))
        #expect(first < last)
    }

    @Test("Past calls of a user who has not joined a room are listed, and deleted after confirmation")
    func guest() async throws {
        var content = FakeMemory.Content()
        content.calls = [try call(1)]
        let memory = FakeMemory(content)
        let items = try await app(memory) { app in
            let library = try await app.library()
            let listed = await state(library) { $0.items != nil }.items
            library.send(.askToForget)
            library.send(.confirm(.forgetting))
            return [listed, await state(library) { $0.items?.count == 1 }.items]
        }
        let recording = LibraryItem.recording(FakeRecordings.recording(2))
        #expect(items == [[recording, .call(try call(1))], [recording]])
        #expect(memory.content.calls.isEmpty)
    }

    @Test("If past calls cannot be deleted, they stay listed and the reason is shown")
    func notForgotten() async throws {
        var content = FakeMemory.Content()
        content.calls = [try call(1)]
        let memory = FakeMemory(content, problem: StoreFailure(message: "the disk is full", hint: ""))
        let shown = try await app(memory) { app in
            let library = try await app.library()
            library.send(.askToForget)
            library.send(.confirm(.forgetting))
            return await state(library) { $0.problem != nil }
        }
        #expect(shown.problem == .failed("the disk is full") && shown.items?.count == 2)
    }

    @Test("The calls of a user are not shown after the logout")
    func logout() async throws {
        var content = try FlowBench.remembered(.caller)
        content.calls = [try call(1)]
        let items = try await app(FakeMemory(content)) { app in
            let library = try await app.library()
            _ = await state(library) { $0.items?.count == 2 }
            app.shell.show(.calls)
            try await app.room().send(.logout)
            _ = try await app.login()
            return await state(library) { $0.items?.count == 1 }.items
        }
        #expect(items == [.recording(FakeRecordings.recording(2))])
    }

    @Test("A failed deletion is reported until the user dismisses the report")
    func problem() async throws {
        recordings.change { $0.problem = .failed("no program") }
        let problems = try await app { app in
            let library = try await app.library()
            library.send(.askToDelete(FakeRecordings.recording(2)))
            library.send(.confirm(try await dialog(library)))
            let problem = await state(library) { $0.problem != nil }.problem
            library.send(.cancel)
            return [problem, library.store.state.problem]
        }
        #expect(problems == [.failed("no program"), nil])
    }

    @Test("Both sides store an answered call and a missed call")
    func calls() async throws {
        let memories = (
            FakeMemory(try FlowBench.remembered(.caller)), FakeMemory(try FlowBench.remembered(.callee))
        )
        _ = try await Simulation.run { clock in
            await withBench(clock) { bench in
                try await bench.app(memories.1, name: "callee") { bob in
                    try await bob.connect()
                    _ = try await bench.app(memories.0, name: "caller") { ann in
                        try await ann.connect()
                        for isAnswered in [true, false] {
                            try await ann.room(\.canStartCall).send(.startCall)
                            let ring = try await bob.room { $0.ring != nil }
                            if isAnswered {
                                ring.send(.accept)
                                try await bob.call { $0.call == .connected }.send(.hangUp)
                            } else {
                                try await ann.call { $0.call == .ringing }.send(.hangUp)
                            }
                            try await ann.room { $0.returnReason != nil }
                            try await bob.room { $0.returnReason != nil && $0.ring == nil }
                        }
                    }
                }
            }
        }.unwrapped()
        let (ann, bob) = (memories.0.content.calls, memories.1.content.calls)
        #expect(ann.map(\.peer) == ["Bob", "Bob"] && bob.map(\.peer) == ["Ann", "Ann"])
        #expect(ann.map(\.isOutgoing) == [true, true] && bob.map(\.isOutgoing) == [false, false])
        #expect(ann.first?.result == .unanswered && bob.first?.result == .missed)
        for call in [ann.last, bob.last] {
            guard case .held(_?)? = call?.result else {
                Issue.record("not held: \(String(describing: call))")
                continue
            }
        }
    }

    @Test("The number of stored calls is limited, and an update of a call replaces its entry")
    func limit() throws {
        var calls: [PastCall] = []
        for minute in 0..<Int64(PastCall.maximum + 5) { calls = try call(minute).added(to: calls) }
        #expect(calls.count == PastCall.maximum)
        #expect(calls.first == (try call(Int64(PastCall.maximum + 4))))
        let ended = try call(Int64(PastCall.maximum + 4), .held(.seconds(3)))
        calls = ended.added(to: calls)
        #expect(calls.count == PastCall.maximum && calls.first == ended)
    }

    @Test(
        "Titles are trimmed, and refused if they are not valid file names",
        arguments: [
            (" Ann ", "Ann"), ("Привіт 👋", "Привіт 👋"), ("", nil), ("  ", nil), ("a/b", nil),
            (".hidden", nil), ("-flag", nil), ("\u{301}a", nil), ("a\u{202E}b", nil), ("a:b", nil),
            ("a\nb", nil), (String(repeating: "x", count: 161), nil),
        ] as [(String, String?)]
    )
    func titles(text: String, title: String?) {
        #expect(RecordingTitle(text)?.text == title)
    }
}
