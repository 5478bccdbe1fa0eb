internal import CallCore
internal import CallFlow
internal import Glibc

/// Ends the process where closing takes for ever: a driver or a file system may never answer.
///
/// What was recorded plays all the same, as after a kill.
struct ClosingLimit {
    /// By default longer than everything that closes by itself may take.
    private let span: Duration
    /// How long scripts may take to be told.
    private static let lastWords = Duration.seconds(1)

    private let begun = StateStore(false)

    init(span: Duration = .seconds(15)) { self.span = span }

    var hasBegun: Bool { begun.state }

    /// From now on the time runs.
    func begin() { begun.update { $0 = true } }

    /// Calls `body` and returns with it; where time runs out, the process ends with `exit`.
    func during<Result>(
        _ console: Console,
        _ events: EventWriter,
        exit: @escaping @Sendable () -> Int32,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await withThrowingTaskGroup { group in
            group.addTask {
                for await hasBegun in begun.states where hasBegun {
                    guard (try? await Task.sleep(for: span)) != nil else { return }
                    await giveUp(console, events, exit())
                }
            }
            defer { group.cancelAll() }
            return try await body()
        }
    }

    private func giveUp(_ console: Console, _ events: EventWriter, _ exit: Int32) async {
        let failure = Failure(
            code: "closing-hung",
            message: "something does not close within \(DurationText(span))",
            hint:
                "a device, a file system or whoever reads standard output may not answer; what was recorded is on disk",
            exit: exit
        )
        console.fail(failure.message, hint: failure.hint)
        await withTaskGroup { group in
            group.addTask {
                await events.write("error", failure.fields)
                await events.write("summary", Summary().fields(exit: exit))
            }
            group.addTask {
                try? await Task.sleep(for: Self.lastWords)
                _exit(exit)
            }
        }
        _exit(exit)
    }
}
