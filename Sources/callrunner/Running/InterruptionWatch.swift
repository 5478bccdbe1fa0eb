internal import CallFlow
internal import Glibc
internal import UnixSignals

/// Watches for interruptions while something runs.
struct InterruptionWatch {
    /// The first interruption, for any number of readers.
    let store = StateStore<Interruption?>(nil)
    /// The span after the first signal in which another one is ignored.
    ///
    /// GNU `timeout` signals its child, and at once the group that the child is in: one wish arrives twice, and the second
    /// would end the process before it has left the room and closed its files. A person presses Ctrl-C twice in about
    /// 80 ms at the fastest, so that a second press always counts.
    var echo = Duration.milliseconds(50)

    /// Calls `body` while signals and the reader of `events` are watched; a second signal ends the process.
    ///
    /// Where `onHangUp` is given, SIGHUP means that and interrupts nothing.
    func during<Result>(
        _ console: Console,
        _ events: EventWriter,
        onHangUp: (@Sendable () async -> Void)? = nil,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        defer { store.finish() }
        let signals = await UnixSignalsSequence(
            trapping: onHangUp == nil ? Self.trapped : [.sigint, .sigterm, .sighup]
        )
        return try await withThrowingTaskGroup { group in
            group.addTask {
                var first: ContinuousClock.Instant?
                for await signal in signals {
                    if signal == .sighup, let onHangUp {
                        await onHangUp()
                        continue
                    }
                    guard let interruption = Interruption(signal) else { continue }
                    // Not exit(): other threads still use what it would tear down.
                    if let first, ContinuousClock.now - first < echo { continue }
                    if store.state?.exit != nil { _exit(interruption.exit ?? 0) }
                    first = .now
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
