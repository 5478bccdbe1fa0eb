internal import GStreamerKit

/// How long before it is heard a device takes audio; audio that is written later is not heard.
///
/// A sound server may add the latency of a Bluetooth headset or of a network to that of the buffer it grants, and tells
/// of it by the clock alone. Nanoseconds all through.
struct DeviceLatency: Hashable, Sendable {
    /// A device that has just been opened tells more than is true for a moment; so many readings agree.
    private static let agreeing = 3
    /// Readings are behind the device by up to one packet, and that is as long at least.
    private static let staleness: UInt64 = 20_000_000
    /// The longest Opus packet, in nanoseconds (RFC 6716 §2.1.4).
    private static let longestPacket: UInt64 = 120_000_000
    /// More than the buffer's by less than this is the unevenness of readings.
    private static let tolerance: UInt64 = 10_000_000
    /// Audio that comes later by less than this to a device that was found slow may be heard: such a device takes it
    /// in pieces, and readings of it differ as much.
    private static let unevenness: Int64 = 100_000_000
    /// A device that reports more is mistaken.
    static let most: UInt64 = 5_000_000_000

    private let buffer: UInt64
    private var lastTaken: UInt64?
    private var readings: [UInt64] = []
    /// The time before it is heard at which audio has to be written.
    private(set) var readAhead: UInt64

    /// - Parameter buffer: the time that follows from the buffer's length.
    init(buffer: UInt64) { (self.buffer, readAhead) = (buffer, buffer) }

    /// Takes a reading, one per packet of `duration`; only one at which the device has taken more since the last is
    /// new.
    mutating func update(_ progress: AudioDeviceProgress, packet duration: UInt64 = 0) {
        guard progress.taken != lastTaken else { return }
        defer { lastTaken = progress.taken }
        guard lastTaken != nil else { return }
        let ahead = progress.taken > progress.heard ? progress.taken - progress.heard : 0
        readings = readings.suffix(Self.agreeing - 1) + [min(ahead, Self.most)]
        guard readings.count == Self.agreeing, let least = readings.min() else { return }
        let staleness = max(Self.staleness, min(duration, Self.longestPacket))
        readAhead = least > buffer + Self.tolerance ? least + staleness : buffer
    }
    /// Tells by how much audio reaches the device too late.
    ///
    /// - Parameter ahead: the time until it is to be heard.
    /// - Returns: 0 if it may be in time.
    func lateness(ahead: Int64) -> UInt64 {
        let slack = readAhead > buffer ? Self.unevenness : 0
        let late = Int64(readAhead) &- ahead
        return late > slack ? UInt64(min(late, Int64(Self.most))) : 0
    }
}
