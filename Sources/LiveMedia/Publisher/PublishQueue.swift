internal import RTMP
internal import Synchronization

/// The media that waits to be sent to a server; what does not fit is dropped up to the next keyframe.
final class PublishQueue: Sendable {
    enum Item: Sendable {
        case video(FLVVideo, timestamp: UInt32)
        case audio(FLVAudio, timestamp: UInt32)
        /// The properties of the stream, which are sent at the beginning of each connection.
        case metadata(AMFObject)
        /// An answer to the server.
        case answer([UInt8])

        fileprivate var size: Int {
            switch self {
            case .video(.frame(_, _, let units), _): units.count
            case .audio(.frame(let bytes), _): bytes.count
            case .video, .audio, .metadata, .answer: 0
            }
        }

        /// The timestamp of a frame; nil for anything else.
        fileprivate var frameTimestamp: UInt32? {
            switch self {
            case .video(.frame, let timestamp), .audio(.frame, let timestamp): timestamp
            case .video, .audio, .metadata, .answer: nil
            }
        }

        fileprivate var isVideoFrame: Bool { if case .video(.frame, _) = self { true } else { false } }

        fileprivate var isKeyframe: Bool {
            if case .video(.frame(true, _, _), _) = self { true } else { false }
        }
    }

    private struct State {
        var items: [Item] = []
        var size = 0
        /// Receives an element after media was added; nil without a connection.
        var signal: AsyncStream<Void>.Continuation?
        /// Whether no more media will be added.
        var isFinished = false
        /// Whether media is dropped up to the next keyframe.
        var waitsForKeyframe = false
        /// Whether the media waits for a keyframe because it did not fit, and not because the connection begins.
        var isTooSlow = false
        /// Whether frames have been sent over this connection.
        var hasSent = false
        /// The number of tracks whose configurations are awaited.
        var expectedTracks: Int
        var metadata: Item?
        /// The configurations of the tracks; video comes first.
        var video: Item?
        var audio: Item?
        var droppedFrames = 0
        var sentFrames = 0
        var sentBytes = 0

        /// Whether media may be sent: servers that get frames before all configurations take the stream for one with
        /// fewer tracks.
        var isReady: Bool {
            hasSent || isFinished || [video, audio].count { $0 != nil } >= expectedTracks
                || waitingTime > PublishQueue.configurationLimit
        }

        /// The difference in milliseconds between the oldest and the newest frame that wait.
        private var waitingTime: Int32 {
            guard let first = items.lazy.compactMap(\.frameTimestamp).first,
                let last = items.last(where: { $0.frameTimestamp != nil })?.frameTimestamp
            else { return 0 }
            return Int32(bitPattern: last &- first)
        }

        /// Adds a configuration before all frames that wait.
        mutating func addFirst(_ item: Item) {
            items.insert(item, at: items.firstIndex { $0.frameTimestamp != nil } ?? items.endIndex)
        }

        /// Whether the frame exceeds a limit together with those that wait.
        func isFull(with item: Item) -> Bool {
            guard let timestamp = item.frameTimestamp else { return false }
            let first = items.lazy.compactMap(\.frameTimestamp).first ?? timestamp
            return size + item.size > PublishQueue.sizeLimit
                || Int32(bitPattern: timestamp &- first) > PublishQueue.timeLimit
        }

        mutating func add(_ item: Item) {
            items.append(item)
            size += item.size
        }

        /// Drops all frames.
        mutating func drop() {
            droppedFrames += items.count { $0.isVideoFrame }
            items.removeAll { $0.frameTimestamp != nil }
            size = 0
        }
    }

    /// The maximum size of the waiting frames in bytes.
    private static let sizeLimit = 4 << 20
    /// The maximum difference in milliseconds between the oldest and the newest frame that wait.
    private static let timeLimit: Int32 = 3000
    /// The maximum duration in milliseconds of the frames that wait for the configurations of all tracks.
    private static let configurationLimit: Int32 = 1000
    /// The maximum number of waiting answers; a server that reads nothing gets no more.
    private static let answerLimit = 100

    private let state: Mutex<State>

    /// Creates a queue for a number of tracks.
    init(tracks: Int) { state = Mutex(State(expectedTracks: tracks)) }

    /// Adds a configuration, which is sent at the beginning of each connection, or a frame; callable on any thread.
    func add(_ item: Item) {
        let signal = state.withLock { state -> AsyncStream<Void>.Continuation? in
            let wasReady = state.isReady
            switch item {
            case .video(.configuration, _): state.video = item
            case .audio(.configuration, _): state.audio = item
            case .metadata: state.metadata = item
            case .answer where state.items.count >= Self.answerLimit: return nil
            case .video, .audio, .answer: break
            }
            guard let signal = state.signal else { return nil }
            if state.isFull(with: item) {
                state.drop()
                (state.waitsForKeyframe, state.isTooSlow) = (state.video != nil, true)
            }
            if item.isKeyframe { (state.waitsForKeyframe, state.isTooSlow) = (false, false) }
            if state.waitsForKeyframe, item.frameTimestamp != nil {
                if item.isVideoFrame, state.isTooSlow { state.droppedFrames += 1 }
                return nil
            }
            if item.frameTimestamp == nil, !wasReady { state.addFirst(item) } else { state.add(item) }
            return state.isReady ? signal : nil
        }
        signal?.yield()
    }

    /// Begins to collect media for a new connection; the sequence has an element after media was added.
    func open() -> AsyncStream<Void> {
        let (additions, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let isFinished = state.withLock { state in
            state.items = [state.metadata, state.video, state.audio].compactMap(\.self)
            (state.size, state.hasSent) = (0, false)
            (state.signal, state.waitsForKeyframe, state.isTooSlow) = (signal, state.video != nil, false)
            return state.isFinished
        }
        signal.yield()
        if isFinished { signal.finish() }
        return additions
    }

    /// Ends the sequence of the connection after the media that waits, because there will be no more.
    func finish() {
        let signal = state.withLock { state in
            state.isFinished = true
            return state.signal
        }
        signal?.finish()
    }

    /// Drops all media until the next connection.
    func close() {
        state.withLock { state in
            state.signal = nil
            (state.items, state.size) = ([], 0)
        }
    }

    /// Removes and returns waiting media of about `size` bytes, which counts as sent; empty if nothing waits.
    func removeFirst(size: Int) -> [Item] {
        state.withLock { state in
            guard state.isReady else { return [] }
            var (count, removed) = (0, 0)
            while count < state.items.count, removed < size {
                removed += state.items[count].size
                count += 1
            }
            let first = Array(state.items.prefix(count))
            state.hasSent = state.hasSent || removed > 0
            state.items.removeFirst(count)
            state.size -= removed
            state.sentFrames += first.count { $0.isVideoFrame }
            state.sentBytes += removed
            return first
        }
    }

    /// Whether media is collected for a connection.
    var isOpen: Bool { state.withLock { $0.signal != nil } }

    /// The number of bytes and frames sent, and of frames dropped, since the start.
    var counts: (bytes: Int, frames: Int, dropped: Int) {
        state.withLock { ($0.sentBytes, $0.sentFrames, $0.droppedFrames) }
    }
}
