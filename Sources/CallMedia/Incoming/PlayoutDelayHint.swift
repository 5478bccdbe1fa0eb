internal import Synchronization

/// The playout delay requested from the peer for our video, in the playout-delay header extension.
///
/// The extension (webrtc.org, `experiments/rtp-hdrext/playout-delay`) contains 12 bits each for the minimum
/// and the maximum delay, in units of 10 ms.
final class PlayoutDelayHint: Sendable {
    private static let unit = 10
    private static let maximum: UInt32 = 0xFFF
    /// The minimum delay in milliseconds; negative until a delay is set.
    private let minimum = Atomic(-1)

    /// The three bytes of the extension; nil until a delay is set.
    var value: UInt32? {
        let minimum = minimum.load(ordering: .relaxed)
        guard minimum >= 0 else { return nil }
        return min(UInt32(clamping: (minimum + Self.unit - 1) / Self.unit), Self.maximum) << 12 | Self.maximum
    }

    /// Sets the minimum delay in milliseconds; a value of 0 is ignored until a positive value has been set.
    func set(_ milliseconds: Int) {
        guard milliseconds > 0 || minimum.load(ordering: .relaxed) >= 0 else { return }
        minimum.store(min(max(0, milliseconds), Self.unit * Int(Self.maximum)), ordering: .relaxed)
    }
}
