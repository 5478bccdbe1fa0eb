internal import CallCore
internal import GStreamerKit

/// Fits what is encoded to the path of one attempt: bit rate first, then size and frame rate.
@MediaActor
final class NetworkAdaptation {
    /// What the sound takes of the path, and what headers and repeated packets take of the rest.
    private static let audioBitrate = 100_000
    private static let overhead = 0.05
    /// Smaller changes are not worth telling the encoder.
    private static let worthTelling = 0.02

    /// The share of lost packets at which one that is sent again is sent twice; more of them is what congestion does,
    /// which copies would only feed.
    private static let lossy = 0.02..<0.1
    /// Of a round trip, after which the peer's next request for a packet is one that its answer may have missed.
    private static let repetitionShare = 0.7

    private let outbox: OutgoingMedia
    private var link = NarrowLink()
    private var estimator: BandwidthEstimator
    private var ladder: ResolutionLadder?
    private var applied = 0
    private let start = ContinuousClock.now
    /// Whether the peer tells what became of each packet; else only of losses.
    private(set) var hasTransportFeedback = false

    /// Adapts within `bounds`, of pictures, in bits per second.
    init(outbox: OutgoingMedia, bounds: ClosedRange<Int>) {
        self.outbox = outbox
        let low = bounds.lowerBound + Self.audioBitrate
        let high = bounds.upperBound + Self.audioBitrate
        estimator = BandwidthEstimator(bounds: low...high, start: outbox.bitrate + Self.audioBitrate)
    }

    /// How long the peer does well to wait for our packets, and to hold our pictures back.
    let playoutWish = PlayoutDelayHint()
    private var peerDelay = PlayoutDelay(least: 0)

    /// How often a packet that the peer asks for is sent twice, in seconds; nil where it loses few, or far too many.
    ///
    /// Its next request for what did not come is a round trip later, where it does not hurry.
    private(set) var repetitionPause: Double?

    /// Bits per second that the path is taken to carry.
    var available: Int { estimator.target }

    private var now: Double { (ContinuousClock.now - start) / .seconds(1) }

    /// Takes the peer's feedback about the packets that were sent.
    func handle(_ packets: [TransportPacket]) {
        hasTransportFeedback = true
        estimator.handle(packets.lazy.map(PacketFate.init), at: now)
        apply()
    }

    /// Takes what receiver reports tell, once a second; `sent` is in bits per second.
    func handle(_ measured: WebRTCStatistics, sent: Int) {
        if let roundTrip = measured.roundTripTime { estimator.roundTrip = roundTrip }
        link.handle(loss: measured.fractionLost, roundTrip: measured.roundTripTime, at: now)
        if let loss = measured.fractionLost {
            let roundTrip = measured.roundTripTime ?? PlayoutDelay.likelyRoundTrip
            repetitionPause = Self.lossy.contains(loss) ? Self.repetitionShare * roundTrip : nil
            outbox.setLoss(loss)
            wish(roundTrip: measured.roundTripTime, loss: loss)
        }
        guard !hasTransportFeedback, let loss = measured.fractionLost else { return }
        estimator.handle(lossFraction: loss, sending: Double(sent), at: now)
        apply()
    }

    private func wish(roundTrip: Double?, loss: Double) {
        let retransmission = PlayoutDelay.Retransmission(roundTrip: roundTrip, loss: loss)
        _ = peerDelay.update(jitter: 0, retransmission: retransmission, at: now)
        playoutWish.set(peerDelay.held(jitter: 0, isLossy: loss >= Self.lossy.lowerBound, at: now))
    }

    /// Whether pictures that go out as they are, at `rate` bits per second, have been too many for a while.
    func isShort(of rate: Int) -> Bool {
        link.isShort(of: rate, target: estimator.target, processors: .now, at: now)
    }

    /// Lets time pass; where nothing is sent there is nothing to be told about.
    func pass(isSending: Bool) {
        if isSending { estimator.pass(to: now) } else { estimator.rest() }
        apply()
    }

    private func apply() {
        let video = Double(estimator.target - Self.audioBitrate) * (1 - Self.overhead)
        let bitrate = max(1, Int(video))
        if abs(bitrate - applied) > Int(Double(applied) * Self.worthTelling) {
            applied = bitrate
            outbox.setBitrate(bitrate)
        }
        guard let size = outbox.encodedPicture else { return }
        var steps = ladder ?? ResolutionLadder(width: size.width, height: size.height, framesPerSecond: 30)
        if let rung = steps.update(bitrate: bitrate, at: now) { outbox.setPicture(rung) }
        ladder = steps
    }
}

extension PacketFate {
    /// Nanoseconds become seconds.
    init(_ packet: TransportPacket) {
        self.init(
            sent: Double(packet.sent) / 1e9,
            arrived: packet.arrived.map { Double($0) / 1e9 },
            size: packet.size
        )
    }
}
