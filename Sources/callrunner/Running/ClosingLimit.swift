internal import Basics
internal import Glibc

/// A time limit for closing a run, after which the process exits.
///
/// The limit is needed because a driver or a file system may never respond. The recordings remain playable,
/// as after `kill -9`.
struct ClosingLimit {
    /// The time limit; the default is longer than any regular closing takes.
    private let span: Duration
    /// The time limit for writing the last events after `span` has passed.
    private static let reportLimit = Duration.seconds(1)

    private let begun = StateStore(false)

    init(span: Duration = .seconds(15)) { self.span = span }

    var hasBegun: Bool { begun.state }

    /// Starts the time limit.
    func begin() { begun.update { $0 = true } }

    /// Calls `body`; if the limit expires before `body` returns, the process exits with the code that `exit`
    /// returns.
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
            message: "closing did not finish within \(DurationText(span))",
            hint:
                "a device, a file system or the reader of standard output may not respond; the recordings so far are on disk",
            exit: exit
        )
        console.fail(failure.message, hint: failure.hint)
        await withTaskGroup { group in
            group.addTask {
                await events.write("error", failure.fields)
                await events.write("summary", Summary().fields(exit: exit))
            }
            group.addTask {
                try? await Task.sleep(for: Self.reportLimit)
                _exit(exit)
            }
        }
        _exit(exit)
    }
}
