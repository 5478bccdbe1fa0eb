internal import Basics
internal import ChatCore

/// The writer that saves the drafts, the muted people and the files to send of one user.
actor PreferencesKeeper {
    /// The minimum interval between two saves of drafts.
    private static let interval = Duration.milliseconds(500)

    private let model: ChatsViewModel
    private let memory: any ChatMemory
    private let clock: any Clock<Duration>
    /// The preferences that are saved on disk.
    private var known: ChatPreferences
    /// Whether the last attempt to save has failed, for example because the disk was full.
    private var hasFailed = false

    init(
        _ model: ChatsViewModel,
        _ memory: any ChatMemory,
        _ known: ChatPreferences,
        clock: any Clock<Duration>
    ) {
        (self.model, self.memory, self.known, self.clock) = (model, memory, known, clock)
    }

    /// Saves changed preferences until the task is cancelled, at most once per interval while the user types.
    func run() async {
        for await state in model.store.states {
            let new = model.preferences
            guard !state.returned.isEmpty || new != known else { continue }
            if hasFailed {
                try? await clock.sleep(for: Self.interval)
            } else if state.returned.isEmpty, new.files == known.files {
                await pause()
            }
            // There is no pause for a message that became a draft, which exists twice until the draft is saved, nor for
            // a file to send, which is stored nowhere else.
            await keep()
        }
    }

    /// Waits for the interval, or until there is another file to save.
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

    /// Saves the current preferences, and then discards the messages whose texts have become drafts.
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
