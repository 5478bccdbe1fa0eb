internal import GStreamerKit
internal import Synchronization

/// Hears a stream on its streaming thread and tells how loud it is.
final class AudioMeter: Sendable {
    private struct State {
        /// Since the last reading.
        var period = AudioLevel()
        /// Since `onLevel` was called.
        var moment = AudioLevel()
    }

    private let state = Mutex(State())
    private let onLevel: @Sendable (Double) -> Void

    /// So many samples are a moment: a tenth of a second of one channel at 48 kHz.
    private static let moment = 4800

    /// `onLevel` is told the level of each moment, in dBov.
    init(onLevel: @escaping @Sendable (Double) -> Void = { _ in }) { self.onLevel = onLevel }

    /// Takes samples of 16 bits.
    func hear(_ bytes: UnsafeRawBufferPointer) {
        let level = state.withLock { state -> Double? in
            state.period.add(bytes)
            state.moment.add(bytes)
            guard state.moment.count >= Self.moment else { return nil }
            defer { state.moment = AudioLevel() }
            return state.moment.decibels
        }
        if let level { onLevel(level) }
    }

    /// As above, where the sample is of 16 bits; any other is passed over.
    func hear(_ sample: MediaSample) {
        guard sample.caps.string("format") == "S16LE" else { return }
        _ = sample.withBytes { hear($0) }
    }

    /// The level since it was last asked for, in dBov; nil where nothing was heard.
    func read() -> Double? {
        state.withLock { state in
            defer { state.period = AudioLevel() }
            return state.period.decibels
        }
    }
}
