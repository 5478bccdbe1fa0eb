internal import Synchronization

/// How long we want the peer to hold our pictures back, as the playout-delay header extension tells it.
///
/// webrtc.org, `experiments/rtp-hdrext/playout-delay`: twelve bits each for the least and the most, in 10 ms.
final class PlayoutDelayHint: Sendable {
    private static let unit = 10
    private static let most: UInt32 = 0xFFF
    /// Milliseconds; negative while nothing was ever wished.
    private let least = Atomic(-1)

    /// The extension's three bytes; nil while there is nothing to say.
    var value: UInt32? {
        let least = least.load(ordering: .relaxed)
        guard least >= 0 else { return nil }
        return min(UInt32(clamping: (least + Self.unit - 1) / Self.unit), Self.most) << 12 | Self.most
    }

    /// Says so from the first `milliseconds` above 0 on.
    func set(_ milliseconds: Int) {
        guard milliseconds > 0 || least.load(ordering: .relaxed) >= 0 else { return }
        least.store(min(max(0, milliseconds), Self.unit * Int(Self.most)), ordering: .relaxed)
    }
}
