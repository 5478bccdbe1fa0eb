internal import Basics
internal import FoundationEssentials
internal import Hummingbird
internal import LiveCore
internal import Logging
internal import ServerStore
internal import Synchronization

/// The recordings of live streams.
///
/// Event loops add segments without waiting; `run(_:while:)` writes them to files, in the order in which they came.
final class Recordings: Sendable {
    private enum Job: Sendable {
        case begin(RecordingRecord)
        case add(RecordingWriter.Part, to: String)
        case end(String)
    }

    private struct State {
        /// The number of bytes that have not been written.
        var waitingBytes = 0
        /// The recordings that lack a segment, until their next file begins.
        var gaps: Set<String> = []
        /// The recordings that have segments and have not ended.
        var made: Set<String> = []
        /// The recordings of streams that go on, to which nothing can be added any more.
        var failed: Set<String> = []
    }

    /// The recordings that the task of `run(_:while:)` makes.
    private struct Making {
        /// The recordings without a segment, which are not stored yet.
        var records: [String: RecordingRecord] = [:]
        var writers: [String: (writer: RecordingWriter, playbackID: String)] = [:]
    }

    /// The maximum number of bytes that wait to be written; more are dropped.
    private static let mostWaiting = 64 << 20
    /// The maximum number of recordings.
    private static let most = 10_000
    private static let folder = "recordings"

    let table: RecordingTable
    private let state = Mutex(State())
    private let jobs: AsyncStream<Job>
    private let added: AsyncStream<Job>.Continuation

    init(_ database: ServerDatabase) {
        table = RecordingTable(database: database)
        (jobs, added) = AsyncStream.makeStream(of: Job.self)
    }

    private func files(_ id: String) -> RecordingFolder {
        RecordingFolder(folder: ServerFolder(table.database.folder.path("\(Self.folder)/\(id)")))
    }

    var waitingBytes: Int { state.withLock(\.waitingBytes) }

    // MARK: Making recordings

    /// Begins a recording of a stream, which is stored with its first segment, and returns its ID.
    func begin(_ stream: String, _ policy: PlaybackPolicy) -> String {
        let record = RecordingRecord(of: stream, policy)
        added.yield(.begin(record))
        return record.id
    }

    /// Adds a segment to a recording.
    ///
    /// - Returns: false if it is dropped, because the disk is too slow for what is already waiting, or because an earlier
    ///   segment of the same file was dropped.
    func add(_ segment: LiveSegment, to id: String) -> Bool {
        guard let movie = segment.movie else { return true }
        let part = RecordingWriter.Part(movie: movie, duration: segment.duration, date: segment.date)
        let isAdded = state.withLock { state -> Bool? in
            guard !state.failed.contains(id) else { return nil }
            if movie.isFirst { state.gaps.remove(id) }
            guard !state.gaps.contains(id), state.waitingBytes + part.memory <= Self.mostWaiting else {
                state.gaps.insert(id)
                return false
            }
            state.waitingBytes += part.memory
            state.made.insert(id)
            return true
        }
        if isAdded == true { added.yield(.add(part, to: id)) }
        // Nothing is to be done about a recording that has failed.
        return isAdded ?? true
    }

    func end(_ id: String) { added.yield(.end(id)) }

    /// Whether a recording of a stream that goes on has segments.
    func hasSegments(_ id: String) -> Bool {
        state.withLock { $0.made.contains(id) || $0.failed.contains(id) }
    }

    /// Whether a recording has segments and has not ended.
    func isMade(_ id: String) -> Bool { state.withLock { $0.made.contains(id) } }

    /// Writes recordings while `body` runs, and completes them before it returns; may be called once.
    func run<Result>(_ logger: Logger, while body: () async throws -> Result) async rethrows -> Result {
        async let written: Void = write(logger)
        do {
            let result = try await body()
            added.finish()
            await written
            return result
        } catch {
            added.finish()
            await written
            throw error
        }
    }

    private func write(_ logger: Logger) async {
        func attempt(_ id: String, _ body: () async throws -> Void) async -> Bool {
            do {
                try await body()
                return true
            } catch {
                let reason = (error as? ServerStoreFailure)?.message ?? "\(error)"
                logger.error(
                    "a live stream is not recorded",
                    metadata: ["asset": "\(id)", "reason": "\(reason)"]
                )
                return false
            }
        }
        var making = Making()
        func completeStored(_ id: String) async {
            guard let playbackID = making.writers.removeValue(forKey: id)?.playbackID else { return }
            _ = await attempt(id) { try await self.complete(id, playbackID) }
        }
        // An earlier process was making these when it ended.
        var leftovers: [RecordingRecord] = []
        _ = await attempt("leftovers") { leftovers = try await self.table.active() }
        for record in leftovers {
            _ = await attempt(record.id) { try await self.complete(record.id, record.playbackID) }
        }
        for await job in jobs {
            switch job {
            case .begin(let record): making.records[record.id] = record
            case .add(let part, let id):
                defer { state.withLock { $0.waitingBytes -= part.memory } }
                guard await !attempt(id, { try await self.add(part, to: id, &making) }) else { continue }
                state.withLock { state in
                    state.made.remove(id)
                    state.failed.insert(id)
                }
                // What could be stored can be played.
                await completeStored(id)
            case .end(let id):
                making.records[id] = nil
                await completeStored(id)
                forget(id)
            }
        }
        for id in making.writers.keys {
            await completeStored(id)
            forget(id)
        }
    }

    private func forget(_ id: String) {
        state.withLock { state in
            state.made.remove(id)
            state.gaps.remove(id)
            state.failed.remove(id)
        }
    }

    private func add(_ part: RecordingWriter.Part, to id: String, _ making: inout Making) async throws {
        if let record = making.records.removeValue(forKey: id) {
            guard try await table.count() < Self.most else {
                throw ServerStoreFailure.unusable(files(id).folder.path, "there are \(Self.most) recordings")
            }
            try await table.insert(record)
            making.writers[id] = (RecordingWriter(files(id)), record.playbackID)
        }
        guard let writer = making.writers[id]?.writer else { return }
        making.writers[id]?.writer = try await Self.onFileThread { () throws(ServerStoreFailure) in
            var writer = writer
            try writer.add(part)
            return writer
        }
    }

    private func complete(_ id: String, _ playbackID: String) async throws {
        let files = files(id)
        let milliseconds = try await Self.onFileThread { () throws(ServerStoreFailure) in
            try files.complete(playbackID)
        }
        try await table.end(id, milliseconds: milliseconds)
    }

    /// Calls a function, which may block, on a thread for files.
    private static func onFileThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws(ServerStoreFailure) -> Value
    ) async throws -> Value {
        try await FileThreads.run { Result(catching: body) }.get()
    }

    // MARK: Playing and deleting

    /// Returns the recording with a playback ID, and its files; nil if there is no such recording.
    ///
    /// - Throws: `ServerStoreFailure`.
    func recording(playback id: String) async throws -> (record: RecordingRecord, files: RecordingFolder)? {
        try await table.recording(playback: id).map { ($0, files($0.id)) }
    }

    /// Deletes a recording that is complete, and returns the ID of its stream.
    ///
    /// - Throws: `LiveRefusal`, or `ServerStoreFailure` if its files cannot be removed.
    func delete(_ id: String) async throws -> String {
        guard let record = try await table.recording(id) else { throw LiveRefusal.noAsset }
        guard !isMade(id) else {
            throw LiveRefusal.invalid("the recording is being made; complete its stream first")
        }
        let path = files(id).folder.path
        let problem = try await FileThreads.run { () -> String? in
            guard FileManager.default.fileExists(atPath: path) else { return nil }
            do { try FileManager.default.removeItem(atPath: path) } catch { return "\(error)" }
            return nil
        }
        if let problem { throw ServerStoreFailure.unusable(path, problem) }
        try await table.delete(id)
        return record.stream
    }
}
