internal import GStreamerKit
internal import Synchronization

/// Places received audio on the timeline of the playback device, in sync with the video.
final class AudioFeed: Sendable {
    /// The time allowed for decoding a packet and passing it to the device, in nanoseconds.
    private static let spare: UInt64 = 10_000_000
    /// The assumed time between writing audio and hearing it, in nanoseconds, for a device that does not
    /// report its buffer size.
    private static let usualReadAhead: UInt64 = 20_000_000
    /// The duration of the audio that is written in excess of the device's buffer before playback starts, in
    /// nanoseconds.
    private static let surplus: UInt64 = 20_000_000
    /// The time after which another packet is written to a device that has not opened yet, in nanoseconds.
    private static let timeout: UInt64 = 1_000_000_000
    /// The largest plausible difference between a timestamp and the current time, in nanoseconds.
    ///
    /// A timestamp with a larger difference is wrong or hostile.
    private static let horizon: UInt64 = 1_000_000_000

    private let clock: PipelineTime
    private let output: Element
    private let playout: Playout
    private let clockMoved: @Sendable () -> Void
    private let state = Mutex(State())

    private struct State {
        var timing = AudioTiming()
        var watch = ClockWatch()
        var isClosed = false
        var start = DeviceStart()
        /// The time of the last write while the device's clock is not reliable yet; nil before the first one.
        var lastWritten: UInt64?
        /// The duration of the audio written before the device's clock was reliable, in nanoseconds.
        var written: UInt64 = 0
        var latency: DeviceLatency?
        /// The playback time, on the device's clock, of the first audio that was scheduled after audio was last late;
        /// nil if there is none.
        var first: UInt64?
    }

    /// Creates a feed for one playback.
    ///
    /// - Parameters:
    ///   - pipeline: the playback pipeline, which runs on the device's clock.
    ///   - output: the device's sink in the pipeline.
    ///   - playout: the playout of the video that belongs to the audio.
    ///   - clockMoved: called on a streaming thread when the device's clock has jumped relative to the shared
    ///     clock, which invalidates the measured latency of the device.
    init(
        _ pipeline: Pipeline,
        output: Element,
        playout: Playout,
        clockMoved: @escaping @Sendable () -> Void
    ) {
        (clock, self.output, self.playout) = (PipelineTime(pipeline), output, playout)
        self.clockMoved = clockMoved
    }

    /// Returns the time, on the device's clock, at which a newly received sample is played; nil for a sample
    /// to drop.
    func time(of sample: MediaSample) -> UInt64? {
        let (now, duration) = (MediaClock.shared.now, Self.duration(of: sample))
        guard let device = clock.running, hasStarted(device, at: now) else {
            return start(with: duration, at: now)
        }
        let own = sample.presentationTime ?? now
        let time = Self.isNear(own, now) ? own : now
        let latency = readAhead(packet: duration) + Self.spare
        let need = Int64(truncatingIfNeeded: now &- time) + Int64(latency)
        let placed = state.withLock { state -> (due: UInt64, hasMoved: Bool)? in
            guard !state.isClosed else { return nil }
            let delay = playout.audioDelay(need: need, device: latency, of: time, at: now)
            let due = state.timing.place(
                time,
                lasting: duration,
                now: now,
                device: device,
                wanted: delay,
                minimum: UInt64(max(0, need))
            )
            if state.first == nil { state.first = due }
            return (due, state.watch.hasMoved(device: device, shared: now))
        }
        if let placed, placed.hasMoved { clockMoved() }
        return placed?.due
    }

    /// Closes the feed: later samples are dropped and no longer affect the delay of the video.
    func close() { state.withLock { $0.isClosed = true } }

    /// Handles a decoded sample that reaches the device, and increases the audio delay if it is late.
    ///
    /// - Returns: the time on the shared clock at which the sample is heard; nil before the device plays.
    func arrived(_ sample: MediaSample) -> UInt64? {
        guard let device = clock.running, let time = sample.presentationTime else { return nil }
        // Both times come from the device's clock, so network jitter does not affect their difference.
        let ahead = Int64(clamping: time) - Int64(clamping: device)
        let late = state.withLock { state -> UInt64 in
            guard !state.isClosed, let first = state.first, time >= first, let latency = state.latency else {
                return 0
            }
            let late = latency.lateness(ahead: ahead)
            // Samples placed before the delay was increased say nothing about the new delay.
            if late > 0 { state.first = nil }
            return late
        }
        if late > 0 { playout.audioWasLate(by: min(late, Self.horizon)) }
        return UInt64(max(0, Int64(clamping: MediaClock.shared.now) + ahead))
    }

    /// Returns whether the device's clock has become reliable.
    private func hasStarted(_ device: UInt64, at now: UInt64) -> Bool {
        if state.withLock({ $0.start.isOver }) { return true }
        let taken = output.audioDeviceProgress?.taken
        return state.withLock { state in
            state.start.update(device: device, shared: now, taken: taken)
            return state.start.isOver
        }
    }

    /// Schedules a sample directly after the previous one; used until the device's clock is reliable.
    ///
    /// The device's clock starts when its buffer is full; the size of the buffer is known when the device is
    /// open. More audio would only wait until the device consumes some, so nil is returned for further
    /// samples.
    private func start(with duration: UInt64, at now: UInt64) -> UInt64? {
        let buffer = output.audioDeviceBuffer
        let wanted = buffer.map { $0.length + Self.surplus } ?? Self.surplus
        return state.withLock { state in
            // A device opens only after a packet has been decoded. If the last one could not be decoded,
            // another one may be written after the timeout.
            if buffer == nil, let last = state.lastWritten, now > last + Self.timeout { state.written = 0 }
            guard state.start.isPlaying || state.written < wanted else { return nil }
            defer { (state.written, state.lastWritten) = (state.written + duration, now) }
            return state.written
        }
    }

    /// Queries the device and returns the time between writing audio and hearing it.
    private func readAhead(packet duration: UInt64) -> UInt64 {
        let progress = output.audioDeviceProgress
        let buffer = state.withLock { $0.latency == nil } ? output.audioDeviceBuffer : nil
        return state.withLock { state in
            var latency = state.latency ?? DeviceLatency(buffer: buffer?.readAhead ?? Self.usualReadAhead)
            if let progress { latency.update(progress, packet: duration) }
            state.latency = latency
            return latency.readAhead
        }
    }

    private static func isNear(_ time: UInt64, _ now: UInt64) -> Bool {
        (time > now ? time - now : now - time) <= horizon
    }

    /// Returns the duration of a sample in nanoseconds.
    private static func duration(of sample: MediaSample) -> UInt64 {
        let isOpus = sample.caps.mediaType == "audio/x-opus"
        let packet = isOpus ? sample.withBytes { OpusSilence.duration(of: $0) } ?? nil : nil
        return packet.map { UInt64($0) * 1000 } ?? sample.duration ?? 20_000_000
    }
}
