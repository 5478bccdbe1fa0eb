internal import CBuild
internal import GStreamerKit

/// The versions of the program and of GStreamer, which `--version` shows.
enum Version {
    static let number = "0.1.0"

    /// The commit in twelve hexadecimal digits, with a `+` if files had been changed since; nil if the
    /// program was not built in a checkout of Git.
    static var commit: String? {
        let commit = String(cString: build_commit())
        return commit.isEmpty ? nil : commit
    }

    /// The versions in one line, whose second word is the number of the program's version.
    static var line: String {
        let parts = [commit.map { "commit \($0)" }, "GStreamer \(GStreamer.version)"].compactMap(\.self)
        return "callrunner \(number) (\(parts.joined(separator: ", ")))"
    }
}
