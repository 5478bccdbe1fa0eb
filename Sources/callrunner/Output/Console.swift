internal import Glibc

/// The human-readable output on standard error: lines and, on a terminal, one live line below them.
///
/// Output is queued and written by `during`, so that a blocked terminal blocks nothing else.
final class Console: Sendable {
    enum Level: Int, Comparable {
        case silent, quiet, normal, verbose

        static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// A change of the terminal's content.
    private enum Change: Sendable {
        case line(String)
        case live(LiveText)
    }

    let level: Level
    /// Whether there is a live line; without one, the steps of a run are written as permanent lines, unless
    /// the level is below `normal`.
    let hasLiveLine: Bool
    private let usesColor: Bool
    private let stream: StandardStream
    private let changes: AsyncStream<Change>
    private let changeSink: AsyncStream<Change>.Continuation

    /// Creates a console; color and the live line need a terminal.
    init(
        level: Level,
        allowsColor: Bool = false,
        isTerminal: Bool = isatty(STDERR_FILENO) != 0,
        stream: StandardStream = .error
    ) {
        self.level = level
        self.stream = stream
        hasLiveLine = isTerminal && level >= .normal
        usesColor = allowsColor && isTerminal
        (changes, changeSink) = AsyncStream.makeStream(of: Change.self)
    }

    /// Writes a permanent line, in which control characters have no effect.
    func say(_ text: String, _ style: Style = .plain, from level: Level = .normal) {
        guard self.level >= level else { return }
        changeSink.yield(.line(style.apply(to: TerminalText(text).printable, enabled: usesColor)))
    }

    /// Replaces the live line, if there is one; an empty text removes it.
    func show(_ text: String) { show(LiveText(text)) }

    /// Replaces the live line; pieces of the text are dropped if the terminal is too narrow.
    func show(_ text: LiveText) {
        guard hasLiveLine else { return }
        changeSink.yield(.live(text))
    }

    /// Writes a failure and its hint, even with `--quiet`.
    func fail(_ message: String, hint: String?) {
        say("callrunner: \(message)", .failure, from: .quiet)
        if let hint { say("  hint: \(hint)", .dim, from: .quiet) }
    }

    /// Calls `body`, and writes the queued output until `body` has returned and nothing is queued; this
    /// method may be called only once.
    func during<Result>(_ body: () async -> Result) async -> Result {
        async let written: Void = write()
        let result = await body()
        show("")
        changeSink.finish()
        await written
        return result
    }

    private func write() async {
        var live = ""
        for await change in changes {
            let above = live.isEmpty ? "" : "\r\u{1B}[K"
            let text: String
            switch change {
            case .line(let line): text = above + line + "\n" + live
            case .live(let line):
                let fitted = line.fitted(to: Self.width - 1)
                guard fitted != live else { continue }
                live = fitted
                text = "\r\u{1B}[K" + fitted
            }
            do { try await stream.write(text) } catch { return }
        }
    }

    private static var width: Int {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }
}
