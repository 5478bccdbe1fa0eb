internal import GLibKit
internal import Synchronization

/// Access to elements inside a webrtcbin that have no public interface; they exist while the webrtcbin runs.
package final class RTPInternals: Sendable {
    private struct Known {
        var jitterBuffers: [UInt32: Element] = [:]
        var senders: [Element] = []
        var sessions: [WeakElement] = []
    }

    /// The assumed bandwidth of an RTP session in bits per second; RTCP may use a twentieth of it.
    ///
    /// The session would otherwise measure the bandwidth, and its first values are too low. With a low
    /// bandwidth, RFC 4585 §3.5.2 delays the next report, and therefore the next retransmission request.
    private static let bandwidth = 4_000_000
    /// The initial interval of transport-wide feedback to the peer, in milliseconds.
    ///
    /// By default the session would send this feedback after each frame, which is expensive with many calls
    /// and has no benefit.
    private static let feedbackInterval = 100
    /// The minimum interval of the first regular RTCP packets, in milliseconds.
    ///
    /// Until the peer has a report of each stream, it synchronizes audio and video by the arrival of their
    /// first packets. This is wrong by up to a tenth of a second, because the first frame takes that long to
    /// encode.
    private static let initialReportInterval = 50
    /// The number of sender reports, counted over all streams, that are sent at `initialReportInterval`.
    private static let initialReportCount = 40
    /// The maximum number of SSRCs received at the same time; packets of further SSRCs are dropped.
    ///
    /// Each SSRC needs two threads and a jitter buffer, and a hostile peer may use any number of them. A call
    /// negotiates two m-lines; each may carry media, retransmission, forward error correction, and one more
    /// SSRC if a sender changes its own. A silent SSRC no longer counts once RTCP times it out (RFC 3550
    /// §6.3.5).
    private static let maximumStreams = 8
    /// The maximum number of jitter buffers to remember; a hostile peer may change its SSRCs at will.
    private static let maximumJitterBuffers = 64
    /// The number of consecutive packets after which the output of a stream starts.
    ///
    /// With fewer packets, it waits for the whole latency, because earlier packets may still be on their way.
    private static let startingPackets = 4
    private let known = Mutex(Known())
    private let sources = Mutex(ReceivedSources())
    private let feedbackHandler = Mutex<(@Sendable ([TransportPacket]) -> Void)?>(nil)
    /// The minimum time between duplicate retransmissions of the same packet, in nanoseconds; 0 disables
    /// them.
    private let repetitionPause = Atomic(UInt64(0))
    private let repetitions = Atomic(0)

    /// Adjusts the inner elements of `bin` when they are added.
    ///
    /// Regular RTCP packets are then at least `reportInterval` milliseconds apart, except at the beginning. Lost
    /// packets are recovered from redundant ones (RFC 5109) only if `correctsErrors` is true.
    init(of bin: Bin, reportInterval: Int, correctsErrors: Bool) {
        bin.object.connect("deep-element-added") { [weak self] arguments in
            guard let element = arguments.object(2).map(Element.init) else { return }
            switch element.factoryName {
            case "rtpsession": self?.prepare(session: element, reportInterval: reportInterval)
            case "nicesrc":
                // No element has stored state for the SSRCs yet when packets pass this pad.
                element.pad("src")?.dropMedia { [weak self] in self?.admits($0) ?? false }
            case "rtprtxsend": self?.add(sender: element)
            // webrtcbin 1.22 also lets decoders look for redundant packets that were not negotiated.
            case "rtpulpfecdec": if !correctsErrors { element.set("passthrough", true) }
            default: break
            }
        }
        let rtpBin = bin.element(named: "rtpbin")
        rtpBin?.set("max-streams", Self.maximumStreams)
        if !correctsErrors {
            // Runs after webrtcbin's own handler. A storage keeps the last packets of each SSRC until the call ends.
            rtpBin?.object.connect("new-storage") { arguments in
                arguments.object(1).map(Element.init)?.set("size-time", parsing: "0")
            }
        }
        // Runs after webrtcbin's own handler, which applies the settings of the bundle's last transceiver.
        rtpBin?.object.connect("new-jitterbuffer") { [weak self] arguments in
            guard let element = arguments.object(1).map(Element.init) else { return }
            // With `rtx-next-seqnum`, the buffer would predict packets from their rate, request them before
            // they are sent, consider them lost, and drop them on arrival.
            element.set("rtx-next-seqnum", false)
            let buffer = JitterBuffer(element: element)
            buffer.start(after: Self.startingPackets)
            buffer.limitGaps()
            buffer.keepTimes()
            self?.add(element, ssrc: arguments.uint(3))
        }
    }

    private func admits(_ ssrc: UInt32) -> Bool {
        let now = MediaClock.shared.now
        return sources.withLock { $0.admits(ssrc, at: now) }
    }

    private func prepare(session: Element, reportInterval: Int) {
        session.set("rtcp-min-interval", Self.initialReportInterval * 1_000_000)
        session.set("bandwidth", Self.bandwidth)
        // Sender reports contain the capture time (RFC 3550 §6.4.1). By default, GStreamer adds the latency
        // since capture, which is known only after the first packets. Until then, the peer would assume that
        // one stream is much later than the other.
        session.set("rtcp-sync-send-time", false)
        if let inner = session.objectProperty("internal-session").map(Element.init) {
            known.withLock { $0.sessions.append(WeakElement(inner)) }
            // A session would keep feedback about the peer's own streams in a sorted list until the call ends.
            inner.set("rtcp-feedback-retention-window", parsing: "18446744073709551615")
            set(feedbackInterval: Self.feedbackInterval)
        }
        let weakSession = WeakObjectRef(session.object)
        let numbering = TransportNumbering { [weak self] in self?.feedbackHandler.withLock { $0 }?($0) }
        session.object.connect("pad-added") { [weak self] arguments in
            guard let pad = arguments.object(1).map(Pad.init) else { return }
            switch pad.name {
            case "send_rtcp_src":
                pad.dropByePackets()
                pad.onSenderReports(Self.initialReportCount) {
                    weakSession.object.map(Element.init)?.set("rtcp-min-interval", reportInterval * 1_000_000)
                }
            case "recv_rtcp_sink":
                pad.dropReports { [weak self] in self?.admits($0) ?? false }
                numbering.takeFeedback(at: pad)
            case "recv_rtp_sink": weakSession.object.map { pad.limitArrivalReports(of: Element($0)) }
            case "send_rtp_sink": numbering.hide(at: pad)
            case "send_rtp_src": numbering.write(at: pad)
            default: break
            }
        }
    }

    /// Sets the handler of the peer's transport-wide feedback, which is called on the thread that received it.
    package func onTransportFeedback(_ handler: @escaping @Sendable ([TransportPacket]) -> Void) {
        feedbackHandler.withLock { $0 = handler }
    }

    /// Sets the interval of transport-wide feedback to the peer, in milliseconds; at most a quarter of a second.
    package func set(feedbackInterval milliseconds: Int) {
        let milliseconds = min(milliseconds, ArrivalReports.longestInterval)
        for session in known.withLock({ $0.sessions }) {
            session.element?.set("twcc-feedback-interval", milliseconds * 1_000_000)
        }
    }

    private func add(_ jitterBuffer: Element, ssrc: UInt32) {
        known.withLock { known in
            guard known.jitterBuffers.count < Self.maximumJitterBuffers || known.jitterBuffers[ssrc] != nil
            else { return }
            known.jitterBuffers[ssrc] = jitterBuffer
        }
    }

    private func add(sender: Element) {
        known.withLock { $0.senders.append(sender) }
        let limit = Mutex(RetransmissionLimit())
        let packetsSent = Atomic(0)
        sender.pad("sink")?.onBuffer { _ in packetsSent.add(1, ordering: .relaxed) }
        sender.pad("src")?.answerRetransmissionRequests { [weak self] request in
            guard let self else { return .ignore }
            let answer = limit.withLock {
                $0.answer(
                    to: request,
                    at: MediaClock.shared.now,
                    packetsSent: packetsSent.load(ordering: .relaxed),
                    repeatingEvery: repetitionPause.load(ordering: .relaxed)
                )
            }
            if answer == .sendTwice { repetitions.add(1, ordering: .relaxed) }
            return answer
        }
    }

    /// Sends two copies of each packet whose retransmission the peer requests, unless `pause` is nil.
    ///
    /// The second copy helps if the first is lost, too. A request that the peer repeats within `pause`
    /// seconds is answered by a single packet.
    package func repeatRetransmissions(every pause: Double?) {
        let nanoseconds = pause.map { UInt64(max(0.001, min($0, 5)) * 1_000_000_000) }
        repetitionPause.store(nanoseconds ?? 0, ordering: .relaxed)
    }

    /// Finds the jitter buffer of this SSRC; nil before its first packet, or if `maximumJitterBuffers` other
    /// SSRCs came first.
    package func jitterBuffer(_ ssrc: UInt32) -> JitterBuffer? {
        known.withLock { $0.jitterBuffers[ssrc] }.map(JitterBuffer.init)
    }

    /// The number of retransmission requests from the peer that `RetransmissionLimit` admitted, and of the packets sent
    /// in response.
    package var retransmitted: (requests: Int, packets: Int) {
        let senders = known.withLock { $0.senders }
        let taken = senders.reduce(0) { $0 + $1.int("num-rtx-requests") }
        return (
            max(0, taken - repetitions.load(ordering: .relaxed)),
            senders.reduce(0) { $0 + $1.int("num-rtx-packets") }
        )
    }
}
