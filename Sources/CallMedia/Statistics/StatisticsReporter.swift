internal import Basics
internal import CallCore
internal import GStreamerKit
internal import MediaKit

/// Computes the statistics of each second from cumulative totals.
struct StatisticsReporter {
    var choices: [MediaKind: CodecPlan.Choice]
    var outgoing: [OutgoingStream]
    /// The codecs received, which may differ from the negotiated ones.
    var codecs: [MediaKind: Codec] = [:]
    var repairs: [MediaKind: IncomingTracks.Repairs] = [:]
    /// The number of retransmissions requested by the peer, and the number of retransmitted packets.
    var retransmitted = (requests: 0, packets: 0)
    private let start = ContinuousClock.now
    private var last = TrafficCounters.Totals()
    private var lastTime = ContinuousClock.now

    init(choices: [MediaKind: CodecPlan.Choice], outgoing: [OutgoingStream]) {
        self.choices = choices
        self.outgoing = outgoing
    }

    /// The time since the connection was established, in seconds.
    var time: Double { (ContinuousClock.now - start) / .seconds(1) }

    mutating func report(
        _ totals: TrafficCounters.Totals,
        _ measured: WebRTCStatistics,
        at now: ContinuousClock.Instant = .now
    ) -> CallStatistics {
        let seconds = max(0.001, (now - lastTime) / .seconds(1))
        var statistics = CallStatistics()
        statistics.videoIn = incoming(.video, totals, measured, seconds)
        statistics.audioIn = incoming(.audio, totals, measured, seconds)
        statistics.videoOut = outgoing(.video, totals, seconds)
        statistics.audioOut = outgoing(.audio, totals, seconds)
        statistics.rttMs = measured.roundTripTime.map { ($0 * 1000).rounded(toPlaces: 1) }
        (last, lastTime) = (totals, now)
        return statistics
    }

    private func incoming(
        _ kind: MediaKind,
        _ totals: TrafficCounters.Totals,
        _ measured: WebRTCStatistics,
        _ seconds: Double
    ) -> CallStatistics.Incoming? {
        guard let flow = totals.received[kind] else { return nil }
        let before = last.received[kind] ?? TrafficCounters.Flow()
        let inbound = measured.inbound.first { $0.ssrc == flow.ssrc }
        var result = CallStatistics.Incoming()
        result.codec = (codecs[kind] ?? choices[kind]?.codec)?.rawValue ?? ""
        result.bitrate = Int(Double(flow.bytes - before.bytes) * 8 / seconds)
        result.packets = flow.packets
        result.bytes = flow.bytes
        result.lost = inbound?.packetsLost ?? 0
        result.jitterMs = ((inbound?.jitter ?? 0) * 1000).rounded(toPlaces: 1)
        let repaired = repairs[kind] ?? IncomingTracks.Repairs()
        result.nack = repaired.nack
        result.retransmitted = repaired.retransmitted
        result.pli = repaired.pli
        result.jitterBufferMs = repaired.delayMs
        guard kind == .video else { return result }
        result.fps = (Double(flow.frames - before.frames) / seconds).rounded(toPlaces: 1)
        result.frames = flow.frames
        result.width = flow.width
        result.height = flow.height
        result.freezes = flow.freezes.count
        return result
    }

    private func outgoing(
        _ kind: MediaKind,
        _ totals: TrafficCounters.Totals,
        _ seconds: Double
    ) -> CallStatistics.Outgoing? {
        guard let flow = totals.sent[kind] else { return nil }
        let before = last.sent[kind] ?? TrafficCounters.Flow()
        let stream = outgoing.first { $0.kind == kind }
        var result = CallStatistics.Outgoing()
        result.codec = stream?.codec.rawValue ?? ""
        result.bitrate = Int(Double(flow.bytes - before.bytes) * 8 / seconds)
        result.packets = flow.packets
        result.bytes = flow.bytes
        result.frames = flow.frames
        result.fps = (Double(flow.frames - before.frames) / seconds).rounded(toPlaces: 1)
        result.passthrough = stream?.isPassthrough ?? false
        result.encoder = stream?.encoderName
        guard kind == .video else { return result }
        result.nack = retransmitted.requests
        result.retransmitted = retransmitted.packets
        result.pli = totals.keyframeRequests
        return result
    }
}

extension Double {
    fileprivate func rounded(toPlaces places: Int) -> Double {
        let scale = places == 1 ? 10.0 : 1.0
        return (self * scale).rounded() / scale
    }
}
