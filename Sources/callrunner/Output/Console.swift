internal import Glibc
internal import Synchronization

/// What a person reads, on standard error: lines, and on a terminal one live line below them.
final class Console: Sendable {
    enum Level: Int, Comparable {
        case quiet, normal, verbose

        static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    private struct State {
        var liveLine = ""
    }

    let level: Level
    let isTerminal: Bool
    let usesColor: Bool
    private let state = Mutex(State())

    /// Colour and the live line need a terminal.
    init(level: Level, allowsColor: Bool) {
        self.level = level
        isTerminal = isatty(STDERR_FILENO) != 0
        usesColor = allowsColor && isTerminal
    }

    /// A line that stays.
    func say(_ text: String, _ style: Style = .plain, from level: Level = .normal) {
        guard self.level >= level else { return }
        state.withLock { state in
            let live = isTerminal ? state.liveLine : ""
            let clear = live.isEmpty ? "" : "\r\u{1B}[K"
            Self.write(clear + style.apply(to: text, enabled: usesColor) + "\n" + live)
        }
    }

    /// Replaces the live line; elsewhere than on a terminal it is said once, as a line.
    func show(_ text: String, isPassing: Bool = false) {
        guard level >= .normal else { return }
        guard isTerminal else {
            let isNew = state.withLock { state in
                defer { state.liveLine = text }
                return state.liveLine != text
            }
            if isNew && !isPassing { say(text) }
            return
        }
        state.withLock { state in
            let line = String(text.prefix(Self.width - 1))
            guard line != state.liveLine else { return }
            state.liveLine = line
            Self.write("\r\u{1B}[K" + line)
        }
    }

    /// Takes the live line away.
    func clear() {
        state.withLock { state in
            guard isTerminal, !state.liveLine.isEmpty else { return }
            state.liveLine = ""
            Self.write("\r\u{1B}[K")
        }
    }

    /// A failure with its way out; said even with `--quiet`.
    func fail(_ message: String, hint: String?) {
        say("callrunner: \(message)", .failure, from: .quiet)
        if let hint { say("  hint: \(hint)", .dim, from: .quiet) }
    }

    private static var width: Int {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    private static func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            guard written > 0 else { return }
            bytes = bytes.dropFirst(written)
        }
    }
}
