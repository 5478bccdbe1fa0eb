internal import Synchronization

/// The playout delay requested from the peer for our video, in the playout-delay header extension.
///
/// webrtc.org, `experiments/rtp-hdrext/playout-delay`: 12 bits each for the minimum and the maximum, in units
/// of 10 ms.
final class PlayoutDelayHint: Sendable {
    private static let unit = 10
    private static let most: UInt32 = 0xFFF
    /// The minimum delay in milliseconds; negative until the first one is set.
    private let least = Atomic(-1)

    /// The three bytes of the extension; nil until a delay is set.
    var value: UInt32? {
        let least = least.load(ordering: .relaxed)
        guard least >= 0 else { return nil }
        return min(UInt32(clamping: (least + Self.unit - 1) / Self.unit), Self.most) << 12 | Self.most
    }

    /// Sets the minimum delay; values of 0 are ignored until a positive one was set.
    func set(_ milliseconds: Int) {
        guard milliseconds > 0 || least.load(ordering: .relaxed) >= 0 else { return }
        least.store(min(max(0, milliseconds), Self.unit * Int(Self.most)), ordering: .relaxed)
    }
}
