internal import Glibc

/// What a person reads, on standard error: lines, and on a terminal one live line below them.
///
/// Everything is queued and written by `during`, so that a terminal that is held up holds up nothing else.
final class Console: Sendable {
    enum Level: Int, Comparable {
        case silent, quiet, normal, verbose

        static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// What happens to the screen.
    private enum Change: Sendable {
        case line(String)
        case live(LiveText)
    }

    let level: Level
    /// Whether there is a live line; without one, what it would show is said in lines.
    let hasLiveLine: Bool
    private let usesColor: Bool
    private let stream: StandardStream
    private let changes: AsyncStream<Change>
    private let news: AsyncStream<Change>.Continuation

    /// Colour and the live line need a terminal.
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
        (changes, news) = AsyncStream.makeStream(of: Change.self)
    }

    /// A line that stays; control characters in it do nothing.
    func say(_ text: String, _ style: Style = .plain, from level: Level = .normal) {
        guard self.level >= level else { return }
        news.yield(.line(style.apply(to: TerminalText(text).printable, enabled: usesColor)))
    }

    /// Replaces the live line, where there is one; an empty one takes it away.
    func show(_ text: String) { show(LiveText(text)) }

    /// As `show(_:)`, for a line of which parts may be missing.
    func show(_ text: LiveText) {
        guard hasLiveLine else { return }
        news.yield(.live(text))
    }

    /// A failure with its way out; said even with `--quiet`.
    func fail(_ message: String, hint: String?) {
        say("callrunner: \(message)", .failure, from: .quiet)
        if let hint { say("  hint: \(hint)", .dim, from: .quiet) }
    }

    /// Calls `body` and writes what is said meanwhile; call it once.
    func during<Result>(_ body: () async -> Result) async -> Result {
        async let written: Void = write()
        let result = await body()
        show("")
        news.finish()
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
