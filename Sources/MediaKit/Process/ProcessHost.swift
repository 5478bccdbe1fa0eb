internal import Basics
internal import GLibKit
internal import Glibc
internal import Synchronization

/// The connection of a separate process to the `SeparateProcess` that started it.
package final class ProcessHost<Request: ProcessMessage, Report: ProcessReport>: Sendable {
    private let output = Mutex(())
    /// The descriptor to which reports are written.
    private let descriptor: Int32

    /// Takes over standard input and output, and prevents child processes from inheriting the other descriptors.
    ///
    /// - Parameter others: The number of further descriptors that the starting process has passed.
    package init(others: Int32) {
        let first = ChildProcess.firstDescriptor
        // Libraries print to standard output, too.
        descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, first + others)
        dup2(STDERR_FILENO, STDOUT_FILENO)
        for other in first..<first + others { _ = fcntl(other, F_SETFD, FD_CLOEXEC) }
    }

    /// Performs requests until the starting process closes the input, then ends this process.
    ///
    /// Nothing is closed, because a demuxer may hang and there is nothing to save. Only `end` is called, and awaited
    /// for half a second at most.
    package func run(
        _ perform: @escaping @Sendable (AsyncStream<Request>) async -> Void,
        end: @escaping @Sendable () async -> Void = {}
    ) async {
        let (requests, request) = AsyncStream.makeStream(of: Request.self)
        await withDiscardingTaskGroup { group in
            // Requests may wait for a demuxer that hangs, which must not hide the end of the input.
            group.addTask { await perform(requests) }
            await Self.listen(request)
            group.addTask {
                await end()
                _exit(0)
            }
            try? await Task.sleep(for: .milliseconds(500))
            _exit(0)
        }
    }

    /// Passes on requests until the end of the input.
    @LoopActor
    private static func listen(_ request: AsyncStream<Request>.Continuation) async {
        let input = DescriptorInput(STDIN_FILENO)
        var splitter = LineSplitter()
        while let bytes = try? await input.read(), !bytes.isEmpty {
            for case .text(let line) in splitter.append(bytes) {
                if let known = try? Request(line: line) { request.yield(known) }
            }
        }
    }

    /// Reports at each beat that this process is alive, provided that `pass` returns.
    package func beat(_ pass: @Sendable () async -> Void) async {
        while (try? await Task.sleep(for: ProcessBeat.interval)) != nil {
            await pass()
            report(.alive)
        }
    }

    /// Writes a report; blocks while the other process does not read.
    package func report(_ report: Report) {
        guard let line = try? report.shortened.line() else { return }
        output.withLock { _ in _ = line.withUnsafeBytes { $0.writeAll(to: descriptor) } }
    }
}
