package import Basics
internal import Synchronization

/// The previews of recordings, which are read one after the other when they are first shown.
package final class RecordingPreviews: Sendable {
    private struct Queue {
        /// The recordings to read, the newest request last.
        var waiting: [Recording] = []
        /// The recordings that wait or have been read.
        var known: Set<Recording> = []
    }

    /// The maximum number of queued requests; the oldest ones are dropped, because their rows are no longer visible.
    private static let longestQueue = 24

    /// The previews by the path of the recording.
    package let store = StateStore<[String: RecordingPreview]>([:])
    private let queue = Mutex(Queue())
    private let requests = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let recordings: any RecordingStore

    init(_ recordings: any RecordingStore) { self.recordings = recordings }

    /// Returns the preview of a recording; nil until it has been read, which the first call requests.
    package func preview(of recording: Recording) -> RecordingPreview? {
        let isNew = queue.withLock { queue in
            guard queue.known.insert(recording).inserted else { return false }
            queue.waiting.append(recording)
            if queue.waiting.count > Self.longestQueue { queue.known.remove(queue.waiting.removeFirst()) }
            return true
        }
        if isNew { requests.continuation.yield() }
        return store.state[recording.path]
    }

    /// Removes the previews of all other recordings, and of those that could not be read.
    func keep(only listed: [Recording]) {
        let paths = Set(listed.map(\.path))
        let unread = store.state.filter { $0.value == RecordingPreview() }
        queue.withLock { queue in
            queue.known.formIntersection(listed.filter { unread[$0.path] == nil })
            queue.waiting.removeAll { !queue.known.contains($0) }
        }
        store.update { $0 = $0.filter { paths.contains($0.key) && unread[$0.key] == nil } }
    }

    /// Reads the requested previews until the task is cancelled, the newest request first.
    func run() async {
        for await _ in requests.stream {
            while !Task.isCancelled, let recording = queue.withLock({ $0.waiting.popLast() }) {
                let preview = await recordings.preview(of: recording) ?? RecordingPreview()
                store.update { $0[recording.path] = preview }
            }
        }
    }
}
