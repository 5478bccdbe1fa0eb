internal import Basics
internal import LiveCore
internal import NIOCore
internal import Synchronization

/// The streams in memory: their records, their channels and their encoders.
///
/// Encoders and players use it from their event loops, and the API from its tasks.
final class StreamDirectory: Sendable {
    /// The state of a stream.
    enum Status: String, CaseIterable {
        case idle, active, disabled
    }

    /// The state of a stream for the API.
    struct Description {
        let record: StreamRecord
        var status = Status.idle
        /// The rates of the encoder; nil if there is none, or in its first seconds.
        var rates: StreamHealth.Rates?
        /// The estimated number of players.
        var viewers = 0
        /// The recording that is being made; nil if there is none.
        var recording: String?
        /// The newest recordings that are complete.
        var recordings: [String] = []
    }

    private struct Entry {
        var record: StreamRecord
        let channel: LiveChannel
        /// Closes the connection of the encoder that publishes the stream; nil if there is none.
        var disconnect: (@Sendable () -> Void)?
        /// The media of that encoder; nil if there is none.
        var media: NIOLoopBound<Publication>?
        /// The event loop of the newest encoder; nil before the first one.
        var loop: (any EventLoop)?
        /// The newest rates of that encoder.
        var rates: StreamHealth.Rates?
        /// Whether the encoder was lost, and may still return.
        var isReconnecting = false
        /// Whether the stream ends as soon as its encoder has left.
        var isCompleted = false
        /// The number of encoders that have published the stream; timers of earlier ones do nothing.
        var publication = 0
        /// The recording that is being made; nil if there is none.
        var recording: String?
        /// The recordings of the stream, the newest last.
        var recordings: [String] = []

        var status: Status {
            if record.isDisabled { return .disabled }
            return disconnect != nil || isReconnecting ? .active : .idle
        }

        /// Describes the stream; a recording is part of that once it has a segment.
        func description(_ all: Recordings) -> Description {
            Description(
                record: record,
                status: status,
                rates: rates,
                viewers: status == .active ? channel.viewers : 0,
                recording: recording.flatMap { all.isMade($0) ? $0 : nil },
                recordings: recordings
            )
        }
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// The IDs of all streams, in order of creation.
        var order: [String] = []
        var idOfKey: [String: String] = [:]
        var idOfPlayback: [String: String] = [:]
    }

    /// The time for which the segments of an ended stream are stored, so that players show its last ones.
    private static let lifetimeAfterEnd = TimeAmount.seconds(60)

    /// The maximum number of recordings of a stream that are listed with it.
    private static let mostRecordings = 10

    let traffic = IngestTraffic()
    private let recordings: Recordings
    private let state = Mutex(State())

    init(_ recordings: Recordings) { self.recordings = recordings }

    // MARK: Records

    /// Adds a stream with its earlier recordings, the newest last.
    func insert(_ record: StreamRecord, recordings: [String] = []) {
        state.withLock { state in
            var entry = Entry(
                record: record,
                channel: LiveChannel(record.playbackID, needsToken: record.policy == .signed)
            )
            entry.recordings = recordings.suffix(Self.mostRecordings)
            state.entries[record.id] = entry
            state.order.append(record.id)
            state.idOfKey[record.key] = record.id
            state.idOfPlayback[record.playbackID] = record.id
        }
    }

    /// Replaces the record of a stream; if its encoder may not publish any more, it is disconnected, and the stream ends.
    func update(_ record: StreamRecord) {
        let mustEnd = state.withLock { state -> Bool in
            guard let old = state.entries[record.id]?.record else { return false }
            state.entries[record.id]?.record = record
            state.idOfKey[old.key] = nil
            state.idOfKey[record.key] = record.id
            return record.isDisabled || record.key != old.key
        }
        if mustEnd { complete(record.id) }
    }

    func remove(_ id: String) {
        let removed = state.withLock { state -> Entry? in
            guard let entry = state.entries.removeValue(forKey: id) else { return nil }
            state.order.removeAll { $0 == id }
            state.idOfKey[entry.record.key] = nil
            state.idOfPlayback[entry.record.playbackID] = nil
            return entry
        }
        removed?.disconnect?()
        guard let recording = removed?.recording else { return }
        guard let media = removed?.media else { return recordings.end(recording) }
        media.eventLoop.execute { [recordings] in
            media.value.end()
            recordings.end(recording)
        }
    }

    func remove(recording id: String, of stream: String) {
        state.withLock { $0.entries[stream]?.recordings.removeAll { $0 == id } }
    }

    var count: Int { state.withLock { $0.entries.count } }

    /// The number of streams in each state.
    var counts: [Status: Int] {
        state.withLock { state in state.entries.values.reduce(into: [:]) { $0[$1.status, default: 0] += 1 } }
    }

    /// The number of streams that are being recorded.
    var recordingCount: Int { state.withLock { $0.entries.values.count { $0.recording != nil } } }

    func stream(_ id: String) -> Description? { state.withLock { $0.entries[id]?.description(recordings) } }

    /// Returns streams, the newest first.
    func streams(skipping skipped: Int, most: Int) -> [Description] {
        state.withLock { state in
            state.order.reversed().dropFirst(skipped).prefix(most)
                .compactMap { state.entries[$0]?.description(recordings) }
        }
    }

    // MARK: Players

    /// Returns the channel with this playback ID; nil if there is none.
    func channel(_ playbackID: String) -> LiveChannel? {
        state.withLock { state in state.idOfPlayback[playbackID].flatMap { state.entries[$0]?.channel } }
    }

    // MARK: Encoders

    /// Begins to publish the stream with this key; an encoder that has sent nothing for `silence` gives way.
    ///
    /// - Throws: `IngestRefusal`.
    func begin(
        key: String,
        on loop: any EventLoop,
        replacingAfter silence: Duration,
        now: @escaping @Sendable () -> Timestamp,
        disconnect: @escaping @Sendable () -> Void
    ) throws(IngestRefusal) -> Publication {
        endSilent(key: key, on: loop, since: now() + (.zero - silence))
        let outcome = state.withLock { state -> Result<(Entry, Int), IngestRefusal> in
            guard let id = state.idOfKey[key], let entry = state.entries[id] else {
                return .failure(.unknownKey)
            }
            guard !entry.record.isDisabled else { return .failure(.disabled) }
            guard entry.disconnect == nil else { return .failure(.busy) }
            // A stream that was completed while its encoder was away has not ended yet.
            if entry.isCompleted { endRecording(of: id, &state) }
            state.entries[id]?.disconnect = disconnect
            state.entries[id]?.loop = loop
            state.entries[id]?.isReconnecting = false
            state.entries[id]?.isCompleted = false
            state.entries[id]?.publication += 1
            if let policy = entry.record.recordingPolicy, state.entries[id]?.recording == nil {
                state.entries[id]?.recording = self.recordings.begin(id, policy)
            }
            return .success((state.entries[id] ?? entry, entry.publication + 1))
        }
        let (entry, publication) = try outcome.get()
        let id = entry.record.id
        let media = Publication(
            stream: id,
            channel: entry.channel,
            segment: entry.record.latency.segment,
            recording: entry.recording.map { (recordings, $0) },
            traffic: traffic,
            now: now,
            whenMeasured: { self.measured($0, id, publication) },
            whenEnded: { self.publisherLeft(id, publication, on: loop) }
        )
        let bound = NIOLoopBound(media, eventLoop: loop)
        state.withLock { $0.entries[id]?.media = bound }
        return media
    }

    /// Ends the stream of an encoder that has sent nothing since a time, because its connection may be lost without a
    /// sign of it, while the encoder already returns.
    private func endSilent(key: String, on loop: any EventLoop, since time: Timestamp) {
        let entry = state.withLock { state in state.idOfKey[key].flatMap { state.entries[$0] } }
        guard let media = entry?.media, media.eventLoop === loop, media.value.newest < time else { return }
        media.value.end()
        entry?.disconnect?()
    }

    private func measured(_ rates: StreamHealth.Rates, _ id: String, _ publication: Int) {
        state.withLock { state in
            guard state.entries[id]?.publication == publication else { return }
            state.entries[id]?.rates = rates
        }
    }

    private func publisherLeft(_ id: String, _ publication: Int, on loop: any EventLoop) {
        let window = state.withLock { state -> Int? in
            guard let entry = state.entries[id], entry.publication == publication else { return nil }
            state.entries[id]?.disconnect = nil
            state.entries[id]?.media = nil
            state.entries[id]?.rates = nil
            let window = entry.record.isDisabled || entry.isCompleted ? 0 : entry.record.reconnectWindow
            state.entries[id]?.isReconnecting = window > 0
            return window
        }
        guard let window else { return }
        guard window > 0 else { return end(id, publication, on: loop) }
        loop.scheduleTask(in: .seconds(Int64(window))) { self.end(id, publication, on: loop) }
    }

    /// Ends a stream whose encoder has not returned.
    private func end(_ id: String, _ publication: Int, on loop: any EventLoop) {
        guard let channel = channelToEnd(id, publication) else { return }
        channel.end()
        loop.scheduleTask(in: Self.lifetimeAfterEnd) {
            let isIdle = self.state.withLock { state in
                state.entries[id].map { $0.publication == publication } ?? true
            }
            if isIdle { channel.clear() }
        }
    }

    /// Ends the recording of a stream, if there is one.
    private func endRecording(of id: String, _ state: inout State) {
        guard let recording = state.entries[id]?.recording else { return }
        state.entries[id]?.recording = nil
        if recordings.hasSegments(recording), let earlier = state.entries[id]?.recordings {
            state.entries[id]?.recordings = (earlier + [recording]).suffix(Self.mostRecordings)
        }
        recordings.end(recording)
    }

    /// Marks a stream as ended, and returns its channel; nil if an encoder has returned.
    private func channelToEnd(_ id: String, _ publication: Int) -> LiveChannel? {
        state.withLock { state in
            guard let entry = state.entries[id], entry.publication == publication, entry.disconnect == nil
            else {
                return nil
            }
            state.entries[id]?.isReconnecting = false
            endRecording(of: id, &state)
            return entry.channel
        }
    }

    /// Ends a stream now, and disconnects its encoder; nothing happens if it is idle.
    func complete(_ id: String) {
        let entry = state.withLock { state -> Entry? in
            guard let entry = state.entries[id], entry.disconnect != nil || entry.isReconnecting else {
                return nil
            }
            state.entries[id]?.isReconnecting = false
            state.entries[id]?.isCompleted = true
            return entry
        }
        guard let entry, let loop = entry.loop else { return }
        if let disconnect = entry.disconnect {
            disconnect()
        } else {
            loop.execute { self.end(id, entry.publication, on: loop) }
        }
    }
}
