internal import Basics
internal import Glibc
internal import UnixSignals

/// An observer of signals and of the closing of standard output.
struct InterruptionWatch {
    /// The interruption, which any number of tasks may observe; nil until there is one.
    let store = StateStore<Interruption?>(nil)
    /// The time after the first signal in which another signal is ignored.
    ///
    /// GNU `timeout` signals its child and then the child's process group, so that one request arrives twice.
    /// Without this time, the second signal would end the process before it has left the room and closed its
    /// files. A person needs at least about 80 ms to press Ctrl-C twice, so a second press is never ignored.
    var echo = Duration.milliseconds(50)

    /// Calls `body` while watching for signals and for the closing of the output of `events`.
    ///
    /// A second signal ends the process immediately. With `onHangUp`, SIGHUP calls that function and does not
    /// interrupt.
    func during<Result>(
        _ console: Console,
        _ events: EventWriter,
        onHangUp: (@Sendable () async -> Void)? = nil,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        defer { store.finish() }
        let signals = await UnixSignalsSequence(
            trapping: onHangUp == nil ? Self.trappedSignals : [.sigint, .sigterm, .sighup]
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
                    if let first, ContinuousClock.now - first < echo { continue }
                    // `_exit` is used because `exit` would destroy objects that other threads still use.
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

    /// The signals to trap; SIGHUP is not among them if it is already ignored, as under `nohup`.
    private static var trappedSignals: [UnixSignal] {
        var action = sigaction()
        sigaction(SIGHUP, nil, &action)
        let isIgnored = action.__sigaction_handler.sa_handler.map { handler in
            unsafeBitCast(handler, to: Int.self) == 1  // SIG_IGN is the address 1
        }
        return [.sigint, .sigterm] + (isIgnored == true ? [] : [.sighup])
    }
}
