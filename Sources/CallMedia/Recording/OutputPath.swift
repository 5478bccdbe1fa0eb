internal import CallCore
internal import FoundationEssentials
internal import Glibc

/// A path that is asked for in a running call, as a template whose placeholders are filled.
struct OutputPath {
    let template: NameTemplate
    /// Bytes that must be free, so that it makes sense to begin.
    private static let leastSpace: UInt64 = 65_536

    /// - Throws: `MediaRefusal` for what is no path.
    init(
        _ text: String,
        filling values: [NameTemplate.Placeholder: String],
        peer: String?
    ) throws(MediaRefusal) {
        guard !text.isEmpty, !text.utf8.contains(0) else {
            throw MediaRefusal(.badPath, "the path is empty, or holds what no path does")
        }
        let template: NameTemplate
        do { template = try NameTemplate(text) } catch { throw MediaRefusal(.badPath, "\(error)") }
        var values = values
        values[.time] = NameTemplate.stamp(of: .now)
        values[.peer] = peer ?? "peer"
        self.template = template.filled(values)
    }

    /// Whether nothing is there yet.
    var isFree: Bool { !FileManager.default.fileExists(atPath: template.path) }

    /// Looks whether anything can be written at all.
    ///
    /// - Throws: `MediaRefusal`.
    static func checkSpace(beside path: String) throws(MediaRefusal) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        var status = statvfs()
        // A folder that cannot be asked is told of when the file is made.
        guard statvfs(folder, &status) == 0, status.f_blocks > 0 else { return }
        guard UInt64(status.f_bavail) * UInt64(status.f_frsize) >= leastSpace else {
            throw MediaRefusal(.diskFull, "\(path) cannot be written: the disk is full")
        }
    }
}

extension MediaRefusal {
    /// A place that cannot be taken.
    init(_ failure: MediaFailure) {
        guard case .recording(let message, _) = failure else {
            self.init(.badPath, failure.sentence)
            return
        }
        self.init(.badPath, message)
    }
}
