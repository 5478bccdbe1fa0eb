package import Basics
internal import Synchronization

/// The previews of recordings, which are read one after the other when they are first shown.
package final class RecordingPreviews: Sendable {
    /// The previews by the path of the recording.
    package let store = StateStore<[String: RecordingPreview]>([:])
    private let requested = Mutex<Set<Recording>>([])
    private let requests = AsyncStream.makeStream(of: Recording.self)
    private let recordings: any RecordingStore

    init(_ recordings: any RecordingStore) { self.recordings = recordings }

    /// Returns the preview of a recording; nil until it has been read, which the first call requests.
    package func preview(of recording: Recording) -> RecordingPreview? {
        if requested.withLock({ $0.insert(recording).inserted }) { requests.continuation.yield(recording) }
        return store.state[recording.path]
    }

    /// Reads the requested previews until `finish()` is called.
    func run() async {
        for await recording in requests.stream {
            let preview = await recordings.preview(of: recording) ?? RecordingPreview()
            store.update { $0[recording.path] = preview }
        }
    }

    func finish() { requests.continuation.finish() }
}
