internal import RTMP
internal import Synchronization

/// The media that waits to be sent to a server; what does not fit is dropped up to the next keyframe.
final class PublishQueue: Sendable {
    enum Item: Sendable {
        case video(FLVVideo, timestamp: UInt32)
        case audio(FLVAudio, timestamp: UInt32)

        fileprivate var size: Int {
            switch self {
            case .video(.frame(_, _, let units), _): units.count
            case .audio(.frame(let bytes), _): bytes.count
            case .video, .audio: 0
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
        /// Whether media is dropped up to the next keyframe.
        var waitsForKeyframe = false
        /// Whether the media waits for a keyframe because it did not fit, and not because the connection begins.
        var isTooSlow = false
        var video: Item?
        var audio: Item?
        var droppedFrames = 0
        var sentFrames = 0
        var sentBytes = 0
    }

    /// The maximum size of the waiting media in bytes.
    private static let limit = 4 << 20

    private let state = Mutex(State())

    /// Adds a configuration, which is sent at the beginning of each connection, or a frame; callable on any thread.
    func add(_ item: Item) {
        let signal = state.withLock { state -> AsyncStream<Void>.Continuation? in
            switch item {
            case .video(.configuration, _): state.video = item
            case .audio(.configuration, _): state.audio = item
            default: break
            }
            guard let signal = state.signal else { return nil }
            if item.isKeyframe { (state.waitsForKeyframe, state.isTooSlow) = (false, false) }
            if state.waitsForKeyframe, item.size > 0 {
                if item.isVideoFrame, state.isTooSlow { state.droppedFrames += 1 }
                return nil
            }
            if state.size + item.size > Self.limit {
                state.droppedFrames += state.items.count { $0.isVideoFrame } + (item.isVideoFrame ? 1 : 0)
                state.items.removeAll { $0.size > 0 }
                state.size = 0
                (state.waitsForKeyframe, state.isTooSlow) = (state.video != nil, true)
                return nil
            }
            state.items.append(item)
            state.size += item.size
            return signal
        }
        signal?.yield()
    }

    /// Begins to collect media for a new connection; the sequence has an element after media was added.
    func open() -> AsyncStream<Void> {
        let (additions, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            state.items = [state.video, state.audio].compactMap(\.self)
            state.size = 0
            (state.signal, state.waitsForKeyframe, state.isTooSlow) = (signal, state.video != nil, false)
        }
        signal.yield()
        return additions
    }

    /// Drops all media until the next connection.
    func close() {
        state.withLock { state in
            state.signal = nil
            (state.items, state.size) = ([], 0)
        }
    }

    /// Removes and returns the waiting media, which counts as sent.
    func removeAll() -> [Item] {
        state.withLock { state in
            defer { (state.items, state.size) = ([], 0) }
            state.sentFrames += state.items.count { $0.isVideoFrame }
            state.sentBytes += state.size
            return state.items
        }
    }

    /// The number of bytes and frames sent, and of frames dropped, since the start.
    var counts: (bytes: Int, frames: Int, dropped: Int) {
        state.withLock { ($0.sentBytes, $0.sentFrames, $0.droppedFrames) }
    }
}
