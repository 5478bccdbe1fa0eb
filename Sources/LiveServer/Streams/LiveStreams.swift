internal import Basics
internal import HTTPFront
internal import Hummingbird
internal import LiveCore
package import Logging
internal import NIOCore
package import ServerStore

/// The live streams of a server, which encoders publish and players play.
package final class LiveStreams: Sendable {
    /// The app that encoders name before their stream key.
    private static let app = "app"
    /// The maximum number of streams.
    static let most = 10_000

    private let table: StreamTable
    let directory: StreamDirectory
    let recordings: Recordings
    let signingKeys: SigningKeys

    /// Reads the stored streams.
    ///
    /// - Throws: `ServerStoreFailure`.
    package init(_ database: ServerDatabase) async throws(ServerStoreFailure) {
        table = StreamTable(database: database, box: try StreamKeyBox(database.folder))
        recordings = Recordings(database)
        directory = StreamDirectory(recordings)
        do {
            signingKeys = try await SigningKeys(database)
            let recorded = try await recordings.table.all()
            let recent = Dictionary(grouping: recorded, by: \.stream).mapValues { $0.map(\.id) }
            for record in try await table.all() {
                directory.insert(record, recordings: recent[record.id] ?? [])
            }
        } catch {
            throw error as? ServerStoreFailure ?? .unusable(database.path, "\(error)")
        }
    }

    // MARK: Encoders and players

    /// Begins to publish the stream with this key; `disconnect` closes the encoder's connection.
    ///
    /// Another encoder that publishes the stream gives way if it has sent nothing for `silence`.
    ///
    /// - Throws: `IngestRefusal`.
    func begin(
        app: String,
        key: String,
        on loop: any EventLoop,
        replacingAfter silence: Duration,
        disconnect: @escaping @Sendable () -> Void
    ) throws(IngestRefusal) -> Publication {
        guard app == Self.app else { throw .otherApp }
        return try directory.begin(
            key: key,
            on: loop,
            replacingAfter: silence,
            now: { .now },
            disconnect: disconnect
        )
    }

    /// Returns the channel with this playback ID; nil if there is none.
    package func channel(_ playbackID: String) -> LiveChannel? { directory.channel(playbackID) }

    /// Writes the recordings of streams while `body` runs, and completes them before it returns.
    package func record<Result>(
        _ logger: Logger,
        while body: () async throws -> Result
    ) async rethrows -> Result { try await recordings.run(logger, while: body) }

    /// Deletes a recording that is complete.
    ///
    /// - Throws: `LiveRefusal`, or `ServerStoreFailure`.
    func delete(recording id: String) async throws {
        directory.remove(recording: id, of: try await recordings.delete(id))
    }

    // MARK: Admission

    /// Checks that a request with this token may play a stream; returns the token that the addresses in its playlist need, if any.
    ///
    /// - Throws: `HTTPError` with the status 403.
    func admit(_ token: String?, to channel: LiveChannel) async throws -> String? {
        try await signingKeys.admit(token, to: channel.id, channel.needsToken ? .signed : .everybody)
    }

    /// Returns the path of the playlist of a recording, and the token that its addresses need; nil if there is no
    /// recording with this playback ID.
    ///
    /// - Throws: `HTTPError` with the status 403, or 412 if it is being made; `ServerStoreFailure`.
    func playlist(
        ofRecording id: String,
        _ token: String?
    ) async throws -> (path: String, token: String?)? {
        try await playable(id, token).map { ($0.path(RecordingFolder.playlist), $1) }
    }

    /// Returns the path of a file of a recording; nil if there is no recording with this playback ID.
    ///
    /// - Throws: As for its playlist.
    func path(ofFile number: Int, of id: String, _ token: String?) async throws -> String? {
        try await playable(id, token).map { files, _ in files.path(RecordingFolder.file(number)) }
    }

    private func playable(_ id: String, _ token: String?) async throws -> (RecordingFolder, String?)? {
        guard let (record, files) = try await recordings.recording(playback: id) else { return nil }
        let token = try await signingKeys.admit(token, to: id, record.policy)
        guard !record.isActive else {
            throw HTTPError(.preconditionFailed, message: "the recording is being made")
        }
        return (files, token)
    }

    // MARK: Changes

    /// Creates a stream.
    ///
    /// - Throws: `LiveRefusal`, or `ServerStoreFailure`.
    func create(
        _ latency: StreamRecord.Latency,
        reconnectWindow: Int?,
        policy: PlaybackPolicy = .everybody,
        recordingPolicy: PlaybackPolicy? = nil,
        passthrough: String?
    ) async throws -> StreamRecord {
        guard directory.count < Self.most else { throw LiveRefusal.tooMany }
        guard table.database.folder.hasRoom else { throw LiveRefusal.full }
        let record = StreamRecord(
            created: WallClock.seconds,
            latency: latency,
            reconnectWindow: reconnectWindow,
            policy: policy,
            recordingPolicy: recordingPolicy,
            passthrough: passthrough
        )
        try await table.insert(record) { self.directory.insert(record) }
        return record
    }

    /// Changes a stream, and returns its new record.
    ///
    /// - Throws: `LiveRefusal`, or `ServerStoreFailure`.
    func change(
        _ id: String,
        _ body: @escaping @Sendable (inout StreamRecord) -> Void
    ) async throws -> StreamRecord {
        let changed = try await table.change(id, body) { self.directory.update($0) }
        guard let changed else { throw LiveRefusal.notFound }
        return changed
    }

    /// Deletes a stream, and disconnects its encoder.
    ///
    /// - Throws: `LiveRefusal`, or `ServerStoreFailure`.
    func delete(_ id: String) async throws {
        guard try await table.delete(id, whenStored: { self.directory.remove(id) }) else {
            throw LiveRefusal.notFound
        }
    }
}
