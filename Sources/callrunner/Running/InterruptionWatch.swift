internal import CallFlow
internal import Glibc
internal import UnixSignals

/// Watches for interruptions while something runs.
struct InterruptionWatch {
    /// The first interruption, for any number of readers.
    let store = StateStore<Interruption?>(nil)

    /// Calls `body` while signals and the reader of `events` are watched; a second signal ends the process.
    func during<Result>(
        _ console: Console,
        _ events: EventWriter,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        defer { store.finish() }
        let signals = await UnixSignalsSequence(trapping: Self.trapped)
        return try await withThrowingTaskGroup { group in
            group.addTask {
                for await signal in signals {
                    guard let interruption = Interruption(signal) else { continue }
                    // Not exit(): other threads still use what it would tear down.
                    if store.state?.exit != nil { _exit(interruption.exit ?? 0) }
                    store.update { $0 = interruption }
                }
            }
            group.addTask {
                for await closed in events.closings {
                    let interruption = Interruption(closed)
                    if case .outputFailed(let reason) = interruption {
                        console.fail("standard output cannot be written: \(reason)", hint: nil)
                    }
                    store.update { $0 = $0 ?? interruption }
                }
            }
            defer { group.cancelAll() }
            return try await body()
        }
    }

    /// SIGHUP stays ignored where `nohup` wants so.
    private static var trapped: [UnixSignal] {
        var action = sigaction()
        sigaction(SIGHUP, nil, &action)
        let isIgnored = action.__sigaction_handler.sa_handler.map { handler in
            unsafeBitCast(handler, to: Int.self) == 1  // SIG_IGN is the address 1
        }
        return [.sigint, .sigterm] + (isIgnored == true ? [] : [.sighup])
    }
}
