internal import CBuild
internal import GStreamerKit

/// The versions of the program and of GStreamer, which `--version` shows.
enum Version {
    static let number = "0.1.0"

    /// The Git commit of the build in twelve hexadecimal digits, with a `+` if there were uncommitted
    /// changes; nil if the program was not built in a checkout of Git.
    static var commit: String? {
        let commit = String(cString: build_commit())
        return commit.isEmpty ? nil : commit
    }

    /// The versions in one line; its second word is the program's version number.
    static var line: String {
        let parts = [commit.map { "commit \($0)" }, "GStreamer \(GStreamer.version)"].compactMap(\.self)
        return "callrunner \(number) (\(parts.joined(separator: ", ")))"
    }
}
