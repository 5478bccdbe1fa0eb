internal import CallCore
internal import GStreamerKit
internal import Synchronization

/// Where samples arrive on their streaming threads: holds them back until the file's tracks are
/// known, then writes them straight through.
final class RecordingIntake: Sendable {
    struct Opening: Sendable {
        var codecs: [MediaKind: Codec]
        /// Nanoseconds since the shared epoch.
        var origin: UInt64
    }

    private struct State {
        var expected: [MediaKind: Codec] = [:]
        var arrived: [MediaKind: Codec] = [:]
        var held: [(MediaKind, MediaSample)] = []
        var take: RecordingTake?
        var isOpening = false
        /// Width and height that the file began with.
        var size: [Int?] = []
        var isClosed = false

        var opening: Opening? {
            guard let origin = held.compactMap({ $0.1.presentationTime }).min() else { return nil }
            return Opening(codecs: arrived, origin: origin)
        }

        /// Another codec, or another size where the container minds, ends a file; at a keyframe only.
        func needsNewFile(_ sample: MediaSample, _ kind: MediaKind, _ codec: Codec, _ mindsSize: Bool) -> Bool
        {
            guard let known = arrived[kind] else { return false }
            if known != codec { return true }
            return kind == .video && mindsSize && sample.isKeyframe && sample.caps.size != size
        }

        mutating func restart() {
            take = nil
            arrived = [:]
        }

        /// Holds the sample back; the first of its kind tells what the file needs.
        mutating func hold(_ sample: MediaSample, _ kind: MediaKind, _ codec: Codec) {
            if arrived[kind] == nil, kind == .video { size = sample.caps.size }
            arrived[kind] = codec
            held.append((kind, sample))
        }

        /// The file to open, once, when every expected track has come or the first has waited enough.
        mutating func openingIfDue(patience: UInt64) -> Opening? {
            guard !isOpening, let opening, let latest = held.last?.1.presentationTime else { return nil }
            let isComplete = Set(expected.keys).isSubset(of: arrived.keys)
            guard isComplete || latest >= opening.origin + patience else { return nil }
            isOpening = true
            return opening
        }
    }

    /// How long the first track waits for the other; nanoseconds.
    private static let patience: UInt64 = 2_000_000_000

    private let state = Mutex(State())
    private let openings: AsyncStream<Opening>.Continuation
    private let rotatesOnSize: Bool

    /// - Parameters:
    ///   - rotatesOnSize: whether another picture size needs another file.
    ///   - openings: hears when a file is due.
    init(rotatesOnSize: Bool, openings: AsyncStream<Opening>.Continuation) {
        self.rotatesOnSize = rotatesOnSize
        self.openings = openings
    }

    func expect(_ codecs: [MediaKind: Codec]) { state.withLock { $0.expected = codecs } }

    /// Takes one sample; from one thread per kind.
    func accept(_ sample: MediaSample, kind: MediaKind, codec: Codec) {
        let (take, opening) = state.withLock { state -> (RecordingTake?, Opening?) in
            guard !state.isClosed else { return (nil, nil) }
            if state.take != nil, state.needsNewFile(sample, kind, codec, rotatesOnSize) { state.restart() }
            if let take = state.take { return (take, nil) }
            state.hold(sample, kind, codec)
            return (nil, state.openingIfDue(patience: Self.patience))
        }
        take?.write(sample, kind: kind)  // never into GStreamer under the lock
        if let opening { openings.yield(opening) }
    }

    /// Hands what was held to `take`, which writes everything from then on.
    func open(_ take: RecordingTake) {
        while true {
            let batch = state.withLock { state in
                defer { state.held.removeAll() }
                if state.held.isEmpty {
                    state.take = take
                    state.isOpening = false
                }
                return state.held
            }
            if batch.isEmpty { return }
            for (kind, sample) in batch { take.write(sample, kind: kind) }
        }
    }

    /// Takes nothing more.
    ///
    /// - Returns: the file that is still due for what was held, if any.
    func close() -> Opening? {
        state.withLock { state in
            state.isClosed = true
            return state.take == nil && !state.isOpening ? state.opening : nil
        }
    }
}

extension Caps {
    /// Width and height, where the stream has them.
    fileprivate var size: [Int?] { [int("width"), int("height")] }
}
