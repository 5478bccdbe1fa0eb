internal import GStreamerKit

/// The time between writing audio to a device and hearing it; audio that is written closer to its playback
/// time is not heard.
///
/// A sound server may add the latency of a Bluetooth headset or of a network to the latency of its buffer.
/// The additional latency is visible only in the readings of the device's clock. All values are in
/// nanoseconds.
struct DeviceLatency: Hashable, Sendable {
    /// The number of latest readings whose minimum is used, because a newly opened device briefly reports too
    /// high a latency.
    private static let agreeing = 3
    /// The minimum time to add to a reading, because readings lag behind the device by up to one packet.
    private static let staleness: UInt64 = 20_000_000
    /// The duration of the longest Opus packet, in nanoseconds (RFC 6716 §2.1.4).
    private static let longestPacket: UInt64 = 120_000_000
    /// The largest excess of a reading over the latency of the buffer that counts as jitter.
    private static let tolerance: UInt64 = 10_000_000
    /// The lateness up to which audio may still be heard on a device with more latency than that of its
    /// buffer.
    ///
    /// Such a device consumes audio in chunks, so its readings vary by up to this time.
    private static let unevenness: Int64 = 100_000_000
    /// The longest plausible latency; a larger reported value is wrong.
    static let maximum: UInt64 = 5_000_000_000

    private let buffer: UInt64
    private var lastTaken: UInt64?
    private var readings: [UInt64] = []
    /// The time before playback at which audio must be written.
    private(set) var readAhead: UInt64

    /// Creates the latency of a device from the latency of its buffer.
    init(buffer: UInt64) { (self.buffer, readAhead) = (buffer, buffer) }

    /// Updates the latency with a reading; called once for each packet of length `duration`.
    ///
    /// A reading is ignored if the device has consumed no audio since the last one.
    mutating func update(_ progress: AudioDeviceProgress, packet duration: UInt64 = 0) {
        guard progress.taken != lastTaken else { return }
        defer { lastTaken = progress.taken }
        guard lastTaken != nil else { return }
        let ahead = progress.taken > progress.heard ? progress.taken - progress.heard : 0
        readings = readings.suffix(Self.agreeing - 1) + [min(ahead, Self.maximum)]
        guard readings.count == Self.agreeing, let minimum = readings.min() else { return }
        let staleness = max(Self.staleness, min(duration, Self.longestPacket))
        readAhead = minimum > buffer + Self.tolerance ? minimum + staleness : buffer
    }

    /// Returns how much too late audio reaches the device, in nanoseconds.
    ///
    /// - Parameter ahead: the time until the audio should be heard.
    /// - Returns: the lateness; 0 if the audio may be in time.
    func lateness(ahead: Int64) -> UInt64 {
        let slack = readAhead > buffer ? Self.unevenness : 0
        let late = Int64(readAhead) &- ahead
        return late > slack ? UInt64(min(late, Int64(Self.maximum))) : 0
    }
}
