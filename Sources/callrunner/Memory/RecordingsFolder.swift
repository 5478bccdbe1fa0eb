internal import AppFlow
internal import FoundationEssentials
internal import GLibKit
internal import Glibc

/// The folder in which the app saves recordings; other files in it are ignored.
struct RecordingsFolder: Hashable {
    /// The largest number of recordings that are listed.
    static let maximum = 500

    let path: String

    /// Lists the recordings, the newest first.
    ///
    /// A folder that cannot be read counts as empty.
    func list() -> [Recording] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let found = names.compactMap { name in RecordingName(name).map { (parts: $0, name: name) } }
        let newest = found.sorted { ($1.parts.began, $1.name) < ($0.parts.began, $0.name) }
        return newest.prefix(Self.maximum).compactMap { parts, name in
            guard let status = FileStatus(path: "\(path)/\(name)"), status.isRegularFile else { return nil }
            return Recording(
                folder: path,
                name: name,
                title: parts.title,
                began: parts.began,
                bytes: status.size
            )
        }
    }

    /// Changes the title of a recording, without replacing another file.
    ///
    /// - Throws: `RecordingProblem`.
    func rename(_ recording: Recording, to title: RecordingTitle) throws(RecordingProblem) -> Recording {
        guard var name = RecordingName(recording.name) else { throw .failed(recording.name) }
        name.title = title.text
        do throws(FileMove.Failure) {
            try FileMove.move(recording.path, to: "\(recording.folder)/\(name.text)")
        } catch {
            switch error {
            case .taken: throw .taken
            case .other(let reason): throw .failed(reason)
            }
        }
        return Recording(
            folder: recording.folder,
            name: name.text,
            title: title.text,
            began: recording.began,
            bytes: recording.bytes
        )
    }

    /// Deletes a recording permanently.
    ///
    /// - Throws: `RecordingProblem`.
    func delete(_ recording: Recording) throws(RecordingProblem) {
        guard unlink(recording.path) == 0 else { throw .failed(SystemError().reason) }
    }
}
