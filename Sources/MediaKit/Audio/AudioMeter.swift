internal import GStreamerKit
internal import Synchronization

/// Measures the level of an audio stream on its streaming thread.
package final class AudioMeter: Sendable {
    private struct State {
        /// The level since the last `read()`.
        var period = AudioLevel()
        /// The level since the last call of `onLevel`.
        var moment = AudioLevel()
    }

    private let state = Mutex(State())
    private let onLevel: @Sendable (Double) -> Void

    /// The minimum number of samples per call of `onLevel`: a tenth of a second of one channel at 48 kHz.
    private static let moment = 4800

    /// Creates a meter; `onLevel` receives the level in dBov whenever at least 4800 samples were added.
    package init(onLevel: @escaping @Sendable (Double) -> Void = { _ in }) { self.onLevel = onLevel }

    /// Adds 16-bit samples.
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

    /// Adds the samples of a buffer in `S16LE` format and ignores any other format.
    func hear(_ sample: MediaSample) {
        guard sample.caps.string("format") == "S16LE" else { return }
        _ = sample.withBytes { hear($0) }
    }

    /// Returns the level since the last call, in dBov; nil if no samples have been added since.
    package func read() -> Double? {
        state.withLock { state in
            defer { state.period = AudioLevel() }
            return state.period.decibels
        }
    }
}
