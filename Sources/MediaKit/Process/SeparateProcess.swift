internal import Basics
package import GLibKit

/// A separate process of this program that handles untrusted data, so that a crash, a hang or a lack of memory ends
/// only that process.
///
/// It receives requests, and sends reports until it ends.
@LoopActor
package final class SeparateProcess<Request: ProcessMessage, Report: ProcessReport> {
    /// The reports of the process, for a single consumer at a time; they finish when the process has ended.
    package nonisolated let reports: AsyncStream<Report>
    /// The reason why the process has ended; nil while it runs, and after `stop`.
    package private(set) var loss: ProcessLoss?

    private let report: AsyncStream<Report>.Continuation
    private let requests: AsyncStream<Request>
    private nonisolated let request: AsyncStream<Request>.Continuation
    private let child: ChildProcess
    private var tasks: [Task<Void, Never>] = []
    private var isStopping = false
    /// The number of `alive` reports received from the process.
    private var beats = 0
    /// The reason why the process is killed; nil if it is not killed.
    private var reason: ProcessLoss?

    /// The time limit for the process to end before it is killed.
    private nonisolated static var closingLimit: Duration { .seconds(1) }

    /// Takes over a process that has not received any request yet.
    package init(_ child: ChildProcess) {
        (reports, report) = AsyncStream.makeStream()
        (requests, request) = AsyncStream.makeStream()
        self.child = child
        tasks = [
            Task { await self.write() }, Task { await self.read() },
            Task { await self.watch() },
        ]
    }

    package nonisolated func send(_ request: Request) { self.request.yield(request) }

    /// Ends the process, even if the calling task is cancelled.
    ///
    /// `output`, a stream of other data from the process, is awaited until its end, for at most `closingLimit`.
    package nonisolated func stop(andEnd output: AsyncStream<Never>? = nil) async {
        // A task of its own, because the calling one may be cancelled.
        await Task { await end(output) }.value
    }

    private func end(_ output: AsyncStream<Never>?) async {
        isStopping = true
        request.finish()
        let end = try? await withDeadline(Self.closingLimit) { [child] in try await child.end() }
        if end == nil {
            child.kill()
            // A driver may delay even the end of a killed process.
            _ = try? await withDeadline(Self.closingLimit) { [child] in try await child.end() }
        }
        if let output { _ = try? await withDeadline(Self.closingLimit) { for await _ in output {} } }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    private func write() async {
        for await request in requests {
            guard let line = try? request.line() else { continue }
            do { try await child.write(line) } catch { break }
        }
        child.closeInput()
    }

    /// Kills the process if it hangs, as after a deadlock in GStreamer.
    private func watch() async {
        var (known, silent) = (beats, 0)
        // Counted in short waits, because both processes stand still while the computer sleeps.
        while silent < ProcessBeat.silentLimit {
            guard (try? await Task.sleep(for: ProcessBeat.interval)) != nil else { return }
            silent = beats == known ? silent + 1 : 0
            known = beats
        }
        kill(.hung)
    }

    /// Kills the process, because its other output is invalid.
    package func discard() { if !isStopping { kill(.implausible) } }

    private func kill(_ reason: ProcessLoss) {
        self.reason = reason
        child.kill()
    }

    private func read() async {
        var (splitter, allowance) = (LineSplitter(), ReportAllowance())
        reading: while let bytes = try? await child.read(), !bytes.isEmpty {
            for line in splitter.append(bytes) {
                guard let known = Self.report(in: line), allowance.take(at: .now) else {
                    kill(.implausible)
                    break reading
                }
                if known == .alive { beats += 1 }
                report.yield(known)
            }
        }
        if !isStopping {
            let end = try? await withDeadline(Self.closingLimit) { [child] in try await child.end() }
            loss = reason ?? .ended(end)
        }
        report.finish()
    }

    /// Parses a report; nil if the line is not a plausible report.
    private static func report(in line: LineSplitter.Line) -> Report? {
        guard case .text(let text) = line, ReportedText.isHarmless(text),
            let report = try? Report(line: text), report.isPlausible
        else { return nil }
        return report
    }
}

/// The reason why a process has ended.
package enum ProcessLoss: Hashable, Sendable {
    /// It crashed or was killed, for example because it needed too much memory; nil if it is unknown how it ended.
    case ended(ChildProcess.End?)
    /// It did not report that it was alive for `ProcessBeat.silence`.
    case hung
    /// Its reports were invalid or too frequent, or its other output was invalid.
    case implausible
}

extension ChildProcess.End? {
    /// The unexpected end of a process, as a phrase for messages.
    package var words: String {
        switch self {
        case .signaled(let number): "crash or need too much memory (signal \(number))"
        case .exited(let code): "crash or need too much memory (exit code \(code))"
        case nil: "crash or need too much memory"
        }
    }
}

/// The interval at which a process reports that it is alive, and the limits that follow from it.
package enum ProcessBeat {
    package static let interval = Duration.seconds(2)
    /// The number of consecutive missed beats after which a process is killed.
    ///
    /// GStreamer may wait for a response of the server for seven seconds.
    fileprivate static let silentLimit = 7

    /// The time after which a process that does not report is killed.
    package static let silence = interval * silentLimit
}
