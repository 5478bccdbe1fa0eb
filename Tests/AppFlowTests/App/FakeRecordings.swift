import AppFlow
import Basics
import Synchronization

/// A fake store of recordings, which records what is done to them.
final class FakeRecordings: RecordingStore {
    struct Content: Hashable, Sendable {
        var recordings: [Recording] = []
        /// Why the folder has no trash; nil if it has one.
        var noTrash: String?
        var problem: RecordingProblem?
        /// What was done, such as `trash /videos/two.mkv`.
        var actions: [String] = []
    }

    private let state: Mutex<Content>

    init(_ content: Content = Content(recordings: [FakeRecordings.recording(2)])) {
        state = Mutex(content)
    }

    static func recording(_ number: Int) -> Recording {
        Recording(
            path: "/videos/\(number).mkv",
            title: "Recording \(number)",
            began: Timestamp(milliseconds: 1_769_860_800_000 + Int64(number) * 60_000),
            bytes: 1_500_000
        )
    }

    var content: Content { state.withLock { $0 } }

    func change(_ change: (inout Content) -> Void) { state.withLock { change(&$0) } }

    func list() async -> [Recording] {
        state.withLock { content in
            content.actions.append("list")
            return content.recordings
        }
    }

    func preview(of recording: Recording) async -> RecordingPreview? {
        state.withLock { $0.actions.append("preview \(recording.path)") }
        return RecordingPreview(duration: .seconds(90))
    }

    func rename(_ recording: Recording, to title: RecordingTitle) async throws -> Recording {
        let new = Recording(
            path: "/videos/\(title.text).mkv",
            title: title.text,
            began: recording.began,
            bytes: recording.bytes
        )
        try state.withLock { content in
            content.actions.append("rename \(recording.path) to \(title.text)")
            if let problem = content.problem { throw problem }
            content.recordings = content.recordings.map { $0 == recording ? new : $0 }
        }
        return new
    }

    func trash(_ recording: Recording) async throws { try remove(recording, "trash") }

    func delete(_ recording: Recording) async throws { try remove(recording, "delete") }

    func reveal(_ recording: Recording) async throws {
        try state.withLock { content in
            content.actions.append("reveal \(recording.path)")
            if let problem = content.problem { throw problem }
        }
    }

    private func remove(_ recording: Recording, _ action: String) throws {
        try state.withLock { content in
            content.actions.append("\(action) \(recording.path)")
            if action == "trash", let reason = content.noTrash { throw RecordingProblem.noTrash(reason) }
            if let problem = content.problem { throw problem }
            content.recordings.removeAll { $0 == recording }
        }
    }
}
