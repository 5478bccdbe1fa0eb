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
            guard !state.returned.isEmpty || model.preferences != known else { continue }
            // A message that is a draft again is there twice until the draft is kept.
            if hasFailed || state.returned.isEmpty { try? await clock.sleep(for: Self.interval) }
            await keep()
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
