import AppFlow
import Basics

/// A fake store of recordings, which records what is done to them.
final class FakeRecordings: RecordingStore {
    struct Content: Hashable, Sendable {
        var recordings: [Recording] = []
        /// The reason why the folder has no trash; nil if it has one.
        var noTrash: String?
        var problem: RecordingProblem?
        /// Whether the disk does not answer.
        var hangs = false
        /// The actions so far, such as `trash /videos/two.mkv`.
        var actions: [String] = []
    }

    private let state: StateStore<Content>

    init(_ content: Content = Content(recordings: [FakeRecordings.recording(2)])) {
        state = StateStore(content)
    }

    static func recording(_ number: Int) -> Recording {
        Recording(
            folder: "/videos",
            name: "\(number).mkv",
            title: "Recording \(number)",
            began: Timestamp(milliseconds: 1_769_860_800_000 + Int64(number) * 60_000),
            bytes: 1_500_000
        )
    }

    var content: Content { state.state }

    func change(_ change: (inout Content) -> Void) { state.update(change) }

    /// Waits for an action.
    func did(_ action: String) async {
        for await content in state.states where content.actions.contains(where: { $0.hasPrefix(action) }) {
            return
        }
    }

    /// Waits until the disk answers.
    private func answer() async {
        for await content in state.states where !content.hangs { return }
    }

    func list() async -> [Recording] {
        change { $0.actions.append("list") }
        return content.recordings
    }

    func preview(of recording: Recording) async -> RecordingPreview? {
        change { $0.actions.append("preview \(recording.path)") }
        await answer()
        return RecordingPreview(duration: .seconds(90))
    }

    func rename(_ recording: Recording, to title: RecordingTitle) async throws -> Recording {
        let new = Recording(
            folder: "/videos",
            name: "\(title.text).mkv",
            title: title.text,
            began: recording.began,
            bytes: recording.bytes
        )
        change { $0.actions.append("rename \(recording.path) to \(title.text)") }
        if let problem = content.problem { throw problem }
        change { content in content.recordings = content.recordings.map { $0 == recording ? new : $0 } }
        return new
    }

    func trash(_ recording: Recording) async throws { try remove(recording, "trash") }

    func delete(_ recording: Recording) async throws { try remove(recording, "delete") }

    func reveal(_ recording: Recording) async throws {
        change { $0.actions.append("reveal \(recording.path)") }
        if let problem = content.problem { throw problem }
        await answer()
    }

    private func remove(_ recording: Recording, _ action: String) throws {
        change { $0.actions.append("\(action) \(recording.path)") }
        if action == "trash", let reason = content.noTrash { throw RecordingProblem.noTrash(reason) }
        if let problem = content.problem { throw problem }
        change { content in content.recordings.removeAll { $0 == recording } }
    }
}
