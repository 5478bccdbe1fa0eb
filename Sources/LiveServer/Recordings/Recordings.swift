internal import Basics
internal import FoundationEssentials
internal import Hummingbird
internal import LiveCore
internal import Logging
internal import ServerStore
internal import Synchronization

/// The recordings of live streams.
///
/// Event loops add segments without waiting; `run(_:)` writes them to files, in the order in which they came.
final class Recordings: Sendable {
    private enum Job: Sendable {
        case begin(RecordingRecord)
        case add(RecordingWriter.Part, to: String)
        case end(String)
    }

    private struct Pending {
        /// The number of bytes that have not been written.
        var bytes = 0
        /// The recordings that lack a segment which came while too many bytes waited.
        var gaps: Set<String> = []
    }

    /// The maximum number of bytes that wait to be written; more are dropped.
    private static let mostPending = 64 << 20
    private static let folder = "recordings"

    let table: RecordingTable
    private let pending = Mutex(Pending())
    private let jobs: AsyncStream<Job>
    private let added: AsyncStream<Job>.Continuation

    init(_ database: ServerDatabase) {
        table = RecordingTable(database: database)
        (jobs, added) = AsyncStream.makeStream(of: Job.self)
    }

    private func folder(_ id: String) -> ServerFolder {
        ServerFolder(table.database.folder.path("\(Self.folder)/\(id)"))
    }

    var waitingBytes: Int { pending.withLock(\.bytes) }

    // MARK: Making recordings

    /// Begins a recording of a stream, and returns its ID.
    func begin(_ stream: String) -> String {
        let record = RecordingRecord(of: stream)
        added.yield(.begin(record))
        return record.id
    }

    /// Adds a segment to a recording; it is dropped if the disk is too slow for what is already waiting.
    func add(_ segment: LiveSegment, to id: String) {
        guard let movie = segment.movie else { return }
        var part = RecordingWriter.Part(movie: movie, duration: segment.duration, date: segment.date)
        let isAfterGap = pending.withLock { pending -> Bool? in
            guard pending.bytes + part.memory <= Self.mostPending else {
                pending.gaps.insert(id)
                return nil
            }
            pending.bytes += part.memory
            return pending.gaps.remove(id) != nil
        }
        guard let isAfterGap else { return }
        part.isAfterGap = isAfterGap
        added.yield(.add(part, to: id))
    }

    func end(_ id: String) { added.yield(.end(id)) }

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
        var writers: [String: RecordingWriter] = [:]
        for await job in jobs {
            do {
                switch job {
                case .begin(let record):
                    try await table.insert(record)
                    writers[record.id] = RecordingWriter(folder(record.id))
                case .add(let part, let id):
                    defer { pending.withLock { $0.bytes -= part.memory } }
                    guard var writer = writers[id] else { continue }
                    // A second reference would copy what the writer stores.
                    writers[id] = nil
                    try await add(part, with: &writer)
                    writers[id] = writer
                case .end(let id):
                    writers[id] = nil
                    try await markEnd(of: id)
                }
            } catch {
                let reason = (error as? ServerStoreFailure)?.message ?? "\(error)"
                logger.error("a live stream is no longer recorded: \(reason)")
            }
        }
        for id in writers.keys { try? await markEnd(of: id) }
    }

    private func add(_ part: RecordingWriter.Part, with writer: inout RecordingWriter) async throws {
        let (before, database) = (writer, table.database)
        let written = try await FileThreads.run { () -> Result<RecordingWriter, ServerStoreFailure> in
            var writer = before
            do throws(ServerStoreFailure) {
                guard database.folder.hasRoom else {
                    throw .unusable(writer.folder.path, "the disk is almost full")
                }
                try writer.add(part)
                return .success(writer)
            } catch { return .failure(error) }
        }
        writer = try written.get()
    }

    /// Completes the recordings that an earlier process was making when it ended.
    ///
    /// - Throws: `ServerStoreFailure`.
    func completeLeftovers(_ records: [RecordingRecord]) async throws {
        for record in records where record.isActive { try await markEnd(of: record.id) }
    }

    private func markEnd(of id: String) async throws {
        let index = try await index(of: id)
        try await table.end(id, milliseconds: index?.milliseconds ?? 0)
    }

    // MARK: Playing and deleting

    /// Returns the playlist with a playback ID; nil if there is no such recording, or if it is empty.
    ///
    /// - Throws: `HTTPError` with the status 412 if it is being made, or `ServerStoreFailure`.
    func playlist(_ playbackID: String) async throws -> String? {
        guard let id = try await finished(playbackID) else { return nil }
        return try await index(of: id)?.playlist(playbackID)
    }

    /// Returns the path of a file of a recording; nil if there is no recording with this playback ID.
    ///
    /// - Throws: `HTTPError` with the status 412 if it is being made, or `ServerStoreFailure`.
    func file(_ number: Int, of playbackID: String) async throws -> String? {
        guard let id = try await finished(playbackID) else { return nil }
        return folder(id).path(RecordingWriter.file(number))
    }

    /// Returns the ID of the recording with a playback ID; nil if there is none.
    private func finished(_ playbackID: String) async throws -> String? {
        guard let record = try await table.recording(playback: playbackID) else { return nil }
        guard !record.isActive else {
            throw HTTPError(.preconditionFailed, message: "the recording is being made")
        }
        return record.id
    }

    private func index(of id: String) async throws -> RecordingIndex? {
        let folder = folder(id)
        let bytes = try await FileThreads.run {
            try? folder.secret(RecordingWriter.index, limit: RecordingIndex.maximumLength)
        }
        return bytes.flatMap(\.self).map { RecordingIndex($0) }
    }

    /// Deletes a recording that is complete.
    ///
    /// - Throws: `LiveRefusal`, or `ServerStoreFailure`.
    func delete(_ id: String) async throws {
        guard let record = try await table.recording(id) else { throw LiveRefusal.noAsset }
        guard !record.isActive else {
            throw LiveRefusal.invalid("the recording is being made; complete its stream")
        }
        let path = folder(id).path
        // If the process ends now, the recording is empty, and can be deleted again.
        try await FileThreads.run { try? FileManager.default.removeItem(atPath: path) }
        try await table.delete(id)
    }
}
