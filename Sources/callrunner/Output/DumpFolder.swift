internal import AppFlow
internal import Basics
internal import CallCore
internal import FoundationEssentials
internal import GLibKit
internal import Glibc

/// A folder with files for a bug report about a run, readable by its owner only, without secrets.
///
/// Session descriptions and pipeline graphs are numbered in order of arrival. Write errors are ignored.
actor DumpFolder {
    /// The size limits of the folder; without them, a run of several days could fill the disk.
    private static let maximumBytes = 64 << 20
    private static let maximumFiles = 500

    private let path: String
    private let executor = GLibExecutor(threadName: "dump")
    private let events: Int32
    private let candidates: Int32
    private var bytes = 0
    private var files = 0
    /// The numbered files; the oldest are deleted first, because those of a failed call are the newest.
    private var kept: [String] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates the folder.
    ///
    /// - Throws: `Failure` if the folder cannot be created or is not empty.
    init(_ path: String) throws(Failure) {
        let problem = mkdir(path, 0o700) == 0 ? 0 : errno
        if problem != 0, problem != EEXIST || !Self.isEmpty(path) {
            let reason = problem == EEXIST ? "it is not an empty folder" : String(cString: strerror(problem))
            throw .usage("cannot write a dump to “\(path)”: \(reason)", hint: "name a new folder with --dump")
        }
        self.path = path
        events = Self.create("\(path)/events.jsonl")
        candidates = Self.create("\(path)/candidates.jsonl")
        guard events >= 0, candidates >= 0 else {
            throw .usage(
                "cannot write to “\(path)”: \(String(cString: strerror(errno)))",
                hint: "name another folder with --dump"
            )
        }
    }

    deinit {
        close(events)
        close(candidates)
    }

    func keep(about text: String) { write(file: "about.txt", text) }

    /// Appends an event; `line` includes its line ending.
    func keep(event line: String) { append(line, to: events) }

    func keep(graph dot: String, _ moment: String) { write(next: moment, "dot", dot) }

    func keep(_ message: SignalMessage, _ direction: SignalDirection) {
        switch message {
        case .offer(let offer):
            write(next: "offer-\(direction.rawValue)", "sdp", Self.withoutSecrets(offer.sdp))
        case .answer(let answer, _):
            write(next: "answer-\(direction.rawValue)", "sdp", Self.withoutSecrets(answer.sdp))
        case .candidate(let candidate):
            append(
                EventWriter.line(
                    "candidate.\(direction.rawValue)",
                    [
                        "candidate": .string(candidate.candidate),
                        "sdpMid": candidate.sdpMid.map(JSON.string) ?? .null,
                        "sdpMLineIndex": candidate.sdpMLineIndex.map(JSON.int) ?? .null,
                        "usernameFragment": candidate.usernameFragment.map(JSON.string) ?? .null,
                    ],
                    at: .now,
                    elapsed: ProcessClock.elapsed
                ),
                to: candidates
            )
        case .ringing, .hangup, .restart, .mediaState:
            append(
                EventWriter.line(
                    "signal.\(direction.rawValue)",
                    ["signal": .string("\(message)")],
                    at: .now,
                    elapsed: ProcessClock.elapsed
                ),
                to: candidates
            )
        }
    }

    /// Removes the ICE password (RFC 8839 §5.4) and the SRTP keys (RFC 4568) from a session description.
    static func withoutSecrets(_ sdp: String) -> String {
        SessionDescription.lines(of: sdp).map { line in
            let secret = ["a=ice-pwd:", "a=crypto:"].first { line.hasPrefix($0) }
            return secret.map { $0 + "(removed)" } ?? String(line)
        }.joined(separator: "\r\n")
    }

    private func write(next name: String, _ suffix: String, _ text: String) {
        files += 1
        let number = String(files)
        let padding = String(repeating: "0", count: max(0, 3 - number.count))
        kept.append("\(padding)\(number)-\(name).\(suffix)")
        write(file: kept[kept.count - 1], text)
        if kept.count > Self.maximumFiles { unlink("\(path)/\(kept.removeFirst())") }
    }

    private func write(file name: String, _ text: String) {
        let descriptor = Self.create("\(path)/\(name)")
        guard descriptor >= 0 else { return }
        append(text, to: descriptor)
        close(descriptor)
    }

    private func append(_ text: String, to descriptor: Int32) {
        guard bytes < Self.maximumBytes else { return }
        bytes += text.utf8.count
        try? StandardStream.write(text, to: descriptor)
    }

    private static func create(_ path: String) -> Int32 {
        open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
    }

    private static func isEmpty(_ path: String) -> Bool {
        (try? FileManager.default.contentsOfDirectory(atPath: path))?.isEmpty ?? false
    }
}
