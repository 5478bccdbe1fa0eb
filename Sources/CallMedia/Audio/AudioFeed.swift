internal import CallCore
internal import GStreamerKit
internal import Synchronization

/// Puts what the peer says onto the time line of the device that plays it, so that it is heard with its pictures.
final class AudioFeed: Sendable {
    /// The time allowed for decoding and for the way to the device, in nanoseconds.
    private static let spare: UInt64 = 10_000_000
    /// The read-ahead of a device that does not tell its own, in nanoseconds.
    private static let usualReadAhead: UInt64 = 20_000_000
    /// The audio written beyond the device's buffer before the device begins to play, in nanoseconds.
    private static let surplus: UInt64 = 20_000_000
    /// The wait for a device to open before another packet is written, in nanoseconds.
    private static let patience: UInt64 = 1_000_000_000
    /// A time that is further from the present is mistaken, or means harm; in nanoseconds.
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
        /// The time at which audio was last written without the device's clock.
        var lastWritten: UInt64?
        /// The audio written before the device's clock could be relied on, in nanoseconds.
        var written: UInt64 = 0
        var latency: DeviceLatency?
        /// The time, by the device's clock, of the first audio placed with the present delay.
        var first: UInt64?
    }

    /// - Parameters:
    ///   - pipeline: plays by the device's clock.
    ///   - output: the device's sink in it.
    ///   - playout: of the pictures that belong to the audio.
    ///   - clockMoved: called, on a streaming thread, where the device's clock has moved against the shared one, so
    ///     that what was learnt of the device no longer holds.
    init(
        _ pipeline: Pipeline,
        output: Element,
        playout: Playout,
        clockMoved: @escaping @Sendable () -> Void
    ) {
        (clock, self.output, self.playout) = (PipelineTime(pipeline), output, playout)
        self.clockMoved = clockMoved
    }

    /// Returns when a sample that has just come is to be played, by the device's clock; nil for a sample to leave out.
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
                least: UInt64(max(0, need))
            )
            if state.first == nil { state.first = due }
            return (due, state.watch.hasMoved(device: device, shared: now))
        }
        if let placed, placed.hasMoved { clockMoved() }
        return placed?.due
    }

    /// Stops adjusting the delay of pictures; later samples are left out.
    func close() { state.withLock { $0.isClosed = true } }

    /// Takes note of when a decoded sample reaches the device.
    ///
    /// - Returns: the shared time at which it is heard; nil before the device plays.
    func arrived(_ sample: MediaSample) -> UInt64? {
        guard let device = clock.running, let time = sample.presentationTime else { return nil }
        // Both are of the same clock, of which the network knows nothing.
        let ahead = Int64(clamping: time) - Int64(clamping: device)
        let late = state.withLock { state -> UInt64 in
            guard !state.isClosed, let first = state.first, time >= first, let latency = state.latency else {
                return 0
            }
            let late = latency.lateness(ahead: ahead)
            // Samples placed before the delay was lengthened say nothing about the longer one.
            if late > 0 { state.first = nil }
            return late
        }
        if late > 0 { playout.audioWasLate(by: min(late, Self.horizon)) }
        return UInt64(max(0, Int64(clamping: MediaClock.shared.now) + ahead))
    }

    /// Whether the device's clock can be relied on by now.
    private func hasStarted(_ device: UInt64, at now: UInt64) -> Bool {
        if state.withLock({ $0.start.isOver }) { return true }
        let taken = output.audioDeviceProgress?.taken
        return state.withLock { state in
            state.start.update(device: device, shared: now, taken: taken)
            return state.start.isOver
        }
    }

    /// Places a sample right behind the one before it.
    ///
    /// The clock runs once as much has come to the device as its buffer holds, which is known once it is open; what is
    /// more than that would only wait until the device takes some.
    private func start(with duration: UInt64, at now: UInt64) -> UInt64? {
        let buffer = output.audioDeviceBuffer
        let wanted = buffer.map { $0.length + Self.surplus } ?? Self.surplus
        return state.withLock { state in
            // Only what can be decoded opens the device.
            if buffer == nil, let last = state.lastWritten, now > last + Self.patience { state.written = 0 }
            guard state.start.isPlaying || state.written < wanted else { return nil }
            defer { (state.written, state.lastWritten) = (state.written + duration, now) }
            return state.written
        }
    }

    /// Returns how long before it is heard audio has to be written; asks the device.
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

    /// Nanoseconds.
    private static func duration(of sample: MediaSample) -> UInt64 {
        let isOpus = sample.caps.mediaType == "audio/x-opus"
        let packet = isOpus ? sample.withBytes { OpusSilence.duration(of: $0) } ?? nil : nil
        return packet.map { UInt64($0) * 1000 } ?? sample.duration ?? 20_000_000
    }
}
