internal import CallFlow
internal import Glibc
internal import UnixSignals

/// Who ends a run from outside.
enum Interruption: Equatable {
    case interrupt, terminate
    /// Whoever read standard output is gone.
    case readerLeft

    /// What the process then tells the shell.
    var exit: Int32 {
        switch self {
        case .interrupt: 130
        case .terminate: 143
        case .readerLeft: 0
        }
    }
}

/// Watches for interruptions while something runs.
struct InterruptionWatch {
    /// The first interruption, for any number of readers.
    let store = StateStore<Interruption?>(nil)

    /// Calls `body` while signals and the reader of `events` are watched; a second signal ends the process.
    func during<Result>(_ events: EventWriter, _ body: () async -> Result) async -> Result {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let watchers = [
            Task { [store] in
                for await signal in signals {
                    let interruption = signal == .sigint ? Interruption.interrupt : .terminate
                    if store.state != nil { Glibc.exit(interruption.exit) }
                    store.update { $0 = interruption }
                }
            },
            Task { [store, readerLeft = events.readerLeft] in
                for await _ in readerLeft { store.update { $0 = $0 ?? .readerLeft } }
            },
        ]
        let result = await body()
        for watcher in watchers {
            watcher.cancel()
            await watcher.value
        }
        store.finish()
        return result
    }
}
