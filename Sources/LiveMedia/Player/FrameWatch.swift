internal import Basics
internal import GStreamerKit
internal import LiveCore
internal import Synchronization

/// A monitor of the frames and the format of a playing stream; called on streaming threads.
final class FrameWatch: Sendable {
    private struct State {
        var resolution: Resolution?
        var videoCodec: String?
        var audioCodec: String?
        var latest: ContinuousClock.Instant?
        var hasStarted = false
    }

    private let state = Mutex(State())
    /// The maximum length in characters of the name of an unknown codec, which may come from the stream.
    private static let longestName = 64
    private let isLive: Bool

    init(isLive: Bool) {
        self.isLive = isLive
    }

    /// Records a frame; returns an event if it is the first one, or if its size has changed.
    ///
    /// `codec` is the name of the video codec; it is evaluated only before the first frame has been recorded.
    func add(_ size: Resolution, codec: @autoclosure () -> String?) -> LiveStreamEvent? {
        // Evaluated outside the lock, because it calls GStreamer.
        let codec = hasStarted ? nil : codec()
        return state.withLock { state in
            state.latest = .now
            guard state.resolution != size || !state.hasStarted else { return nil }
            state.resolution = size
            state.videoCodec = codec.map(Self.short) ?? state.videoCodec
            return begun(&state)
        }
    }

    /// Records the start of a stream without video.
    func addAudio() -> LiveStreamEvent? {
        state.withLock { state in state.hasStarted ? nil : begun(&state) }
    }

    /// Records the names of codecs; returns an event if the stream has started and a name has changed.
    func name(video: String?, audio: String?) -> LiveStreamEvent? {
        state.withLock { state in
            let before = (state.videoCodec, state.audioCodec)
            state.videoCodec = video.map(Self.short) ?? state.videoCodec
            state.audioCodec = audio.map(Self.short) ?? state.audioCodec
            guard state.hasStarted, before != (state.videoCodec, state.audioCodec) else { return nil }
            return .changed(format(state))
        }
    }

    /// The time since the latest frame; nil before the first one.
    var stillness: Duration? { state.withLock { $0.latest.map { $0.duration(to: .now) } } }

    /// Restarts the measurement of the time without a frame.
    func touch() { state.withLock { $0.latest = $0.latest.map { _ in .now } } }

    var hasStarted: Bool { state.withLock { $0.hasStarted } }

    var hasVideo: Bool { state.withLock { $0.resolution != nil } }

    private func begun(_ state: inout State) -> LiveStreamEvent {
        defer { state.hasStarted = true }
        return state.hasStarted ? .changed(format(state)) : .started(format(state))
    }

    private func format(_ state: State) -> LiveFormat {
        let codec = state.resolution == nil ? state.audioCodec : state.videoCodec
        return LiveFormat(resolution: state.resolution, codec: codec ?? "", isLive: isLive)
    }

    /// Returns the short name of a codec, such as `H264` for GStreamer's `H.264 / AVC`.
    private static func short(_ description: String) -> String {
        let names = [
            ("H.264", "H264"), ("H.265", "H265"), ("VP8", "VP8"), ("VP9", "VP9"), ("AV1", "AV1"),
            ("AAC", "AAC"), ("Opus", "OPUS"), ("MP3", "MP3"),
        ]
        return names.first { description.contains($0.0) }?.1 ?? String(description.prefix(longestName))
    }
}
