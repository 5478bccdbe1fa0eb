internal import CallCore
internal import GStreamerKit

/// Adapts outgoing video to the network path of one attempt: first the bit rate, then resolution and frame
/// rate.
@MediaActor
final class NetworkAdaptation {
    /// The bit rate reserved for audio in bits per second; `overhead` is the fraction of the remaining bit
    /// rate that is reserved for headers and retransmissions.
    private static let audioBitrate = 100_000
    private static let overhead = 0.05
    /// The smallest relative change of the bit rate that is passed on to the encoder.
    private static let smallestChange = 0.02

    /// The range of packet loss, as a fraction of all packets, in which each retransmission is sent twice.
    ///
    /// Higher loss is a sign of congestion, which duplicates would make worse.
    private static let lossy = 0.02..<0.1
    /// The minimum time between two duplicated retransmissions of the same packet, as a fraction of the round
    /// trip.
    ///
    /// A NACK that is repeated earlier may have been sent before the retransmissions could arrive.
    private static let repetitionShare = 0.7

    private let outgoingMedia: OutgoingMedia
    private var link = NarrowLink()
    private var estimator: BandwidthEstimator
    private var ladder: ResolutionLadder?
    private var applied = 0
    private let start = ContinuousClock.now
    /// Whether the peer sends transport-wide feedback about each packet, rather than loss reports only.
    private(set) var hasTransportFeedback = false

    /// Creates an adaptation that keeps the video bit rate within `bounds`, in bits per second.
    init(outgoingMedia: OutgoingMedia, bounds: ClosedRange<Int>) {
        self.outgoingMedia = outgoingMedia
        let low = bounds.lowerBound + Self.audioBitrate
        let high = bounds.upperBound + Self.audioBitrate
        estimator = BandwidthEstimator(bounds: low...high, start: outgoingMedia.bitrate + Self.audioBitrate)
    }

    /// The playout delay that the peer is asked to apply to our packets, so that retransmissions arrive in
    /// time.
    let playoutDelayHint = PlayoutDelayHint()
    private var peerDelay = PlayoutDelay(minimum: 0)

    /// The minimum time, in seconds, between two duplicated retransmissions of the same packet; nil if
    /// retransmissions are not duplicated.
    ///
    /// A duplicate saves the round trip that it takes to request a lost retransmission again. Duplicates are
    /// not worthwhile at low loss and would add to congestion at high loss.
    private(set) var repetitionPause: Double?

    /// The estimated capacity of the path in bits per second.
    var available: Int { estimator.target }

    private var now: Double { (ContinuousClock.now - start) / .seconds(1) }

    /// Handles the peer's transport-wide feedback about the packets sent.
    func handle(_ packets: [TransportPacket]) {
        hasTransportFeedback = true
        estimator.handle(packets.lazy.map(PacketFate.init), at: now)
        apply()
    }

    /// Handles the statistics from the peer's receiver reports; called once a second.
    ///
    /// `sent` is the send rate in bits per second.
    func handle(_ measured: WebRTCStatistics, sent: Int) {
        if let roundTrip = measured.roundTripTime { estimator.roundTrip = roundTrip }
        link.handle(loss: measured.fractionLost, roundTrip: measured.roundTripTime, at: now)
        if let loss = measured.fractionLost {
            let roundTrip = measured.roundTripTime ?? PlayoutDelay.likelyRoundTrip
            repetitionPause = Self.lossy.contains(loss) ? Self.repetitionShare * roundTrip : nil
            outgoingMedia.setLoss(loss)
            updatePlayoutDelay(roundTrip: measured.roundTripTime, loss: loss)
        }
        guard !hasTransportFeedback, let loss = measured.fractionLost else { return }
        estimator.handle(lossFraction: loss, sending: Double(sent), at: now)
        apply()
    }

    private func updatePlayoutDelay(roundTrip: Double?, loss: Double) {
        let retransmission = PlayoutDelay.Retransmission(roundTrip: roundTrip, loss: loss)
        _ = peerDelay.update(jitter: 0, retransmission: retransmission, at: now)
        playoutDelayHint.set(peerDelay.held(jitter: 0, isLossy: loss >= Self.lossy.lowerBound, at: now))
    }

    /// Returns whether video sent without re-encoding, at `rate` bits per second, has exceeded the capacity
    /// of the path for a while.
    func isShort(of rate: Int) -> Bool {
        link.isShort(of: rate, target: estimator.target, processors: .now, at: now)
    }

    /// Advances the bandwidth estimator to the current time; while nothing is sent, missing feedback does not
    /// lower its estimate.
    func pass(isSending: Bool) {
        if isSending { estimator.pass(to: now) } else { estimator.rest() }
        apply()
    }

    private func apply() {
        let video = Double(estimator.target - Self.audioBitrate) * (1 - Self.overhead)
        let bitrate = max(1, Int(video))
        if abs(bitrate - applied) > Int(Double(applied) * Self.smallestChange) {
            applied = bitrate
            outgoingMedia.setBitrate(bitrate)
        }
        guard let size = outgoingMedia.encodedResolution else { return }
        var steps = ladder ?? ResolutionLadder(width: size.width, height: size.height, framesPerSecond: 30)
        if let rung = steps.update(bitrate: bitrate, at: now) { outgoingMedia.setResolution(rung) }
        ladder = steps
    }
}

extension PacketFate {
    /// Converts a packet's times from nanoseconds to seconds.
    init(_ packet: TransportPacket) {
        self.init(
            sent: Double(packet.sent) / 1e9,
            arrived: packet.arrived.map { Double($0) / 1e9 },
            size: packet.size
        )
    }
}
