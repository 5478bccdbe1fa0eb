package import Basics
internal import FoundationEssentials
internal import Glibc

/// The path of a file requested during a call: a template whose placeholders are filled in.
package struct OutputPath {
    package let template: NameTemplate
    /// The free disk space in bytes that is required to start writing.
    private static let minimumSpace: UInt64 = 65_536

    /// Creates a path from a template and the values of its placeholders.
    ///
    /// - Throws: `MediaRefusal` if the text is empty, contains NUL, or is not a valid template.
    package init(
        _ text: String,
        filling values: [NameTemplate.Placeholder: String],
        peer: String?
    ) throws(MediaRefusal) {
        guard !text.isEmpty, !text.utf8.contains(0) else {
            throw MediaRefusal(.badPath, "the path is empty or contains a NUL character")
        }
        let template: NameTemplate
        do { template = try NameTemplate(text) } catch { throw MediaRefusal(.badPath, "\(error)") }
        var values = values
        values[.time] = NameTemplate.stamp(of: .now)
        values[.peer] = peer ?? "peer"
        self.template = template.filled(values)
    }

    /// Whether no file exists at the path.
    package var isFree: Bool { !FileManager.default.fileExists(atPath: template.path) }

    /// Checks that the disk of `path` has at least `minimumSpace` bytes free.
    ///
    /// - Throws: `MediaRefusal` if the disk is full.
    package static func checkSpace(beside path: String) throws(MediaRefusal) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        var status = statvfs()
        // If the folder cannot be queried, creating the file will report why.
        guard statvfs(folder, &status) == 0, status.f_blocks > 0 else { return }
        guard UInt64(status.f_bavail) * UInt64(status.f_frsize) >= minimumSpace else {
            throw MediaRefusal(.diskFull, "\(path) cannot be written: the disk is full")
        }
    }
}

extension MediaRefusal {
    /// Creates a refusal from the failure to use a path.
    package init(_ failure: MediaFailure) {
        guard case .recording(let message, _) = failure else {
            self.init(.badPath, failure.sentence)
            return
        }
        self.init(.badPath, message)
    }
}
