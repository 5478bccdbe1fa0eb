internal import Basics
internal import ChatCore

/// Keeps the drafts, the muted people and the files to send of one user.
actor PreferencesKeeper {
    /// The interval at which drafts are kept.
    private static let interval = Duration.milliseconds(500)

    private let model: ChatsViewModel
    private let memory: any ChatMemory
    private let clock: any Clock<Duration>
    /// The preferences that outlive the process.
    private var known: ChatPreferences
    /// Whether the last attempt has failed, as on a full disk.
    private var hasFailed = false

    init(
        _ model: ChatsViewModel,
        _ memory: any ChatMemory,
        _ known: ChatPreferences,
        clock: any Clock<Duration>
    ) {
        (self.model, self.memory, self.known, self.clock) = (model, memory, known, clock)
    }

    /// Keeps the preferences until the task is cancelled, at most once in a while as somebody types.
    func run() async {
        for await state in model.store.states {
            let new = model.preferences
            guard !state.returned.isEmpty || new != known else { continue }
            if hasFailed {
                try? await clock.sleep(for: Self.interval)
            } else if state.returned.isEmpty, new.files == known.files {
                await pause()
            }
            // A message that is a draft again is there twice until the draft is kept, and a file is nowhere else.
            await keep()
        }
    }

    /// Waits for the interval, or until there is another file to keep.
    private func pause() async {
        await withTaskGroup(of: Void.self) { [model, clock, files = known.files] group in
            group.addTask { try? await clock.sleep(for: Self.interval) }
            group.addTask {
                for await _ in model.store.states where model.preferences.files != files { return }
            }
            _ = await group.next()
            group.cancelAll()
        }
    }

    /// Keeps the preferences as they are now, and then discards the messages that are drafts again.
    func keep() async {
        let returned = model.store.state.returned
        let new = model.preferences
        if new != known {
            hasFailed = await !memory.keep(new, replacing: known)
            guard !hasFailed else { return }
            known = new
        }
        model.discard(returned)
    }
}
