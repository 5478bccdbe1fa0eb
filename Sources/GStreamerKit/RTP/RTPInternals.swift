internal import GLibKit
internal import Synchronization

/// Access to elements inside a webrtcbin for which it has no property; they exist while it runs.
package final class RTPInternals: Sendable {
    private struct Known {
        var jitterBuffers: [UInt32: Element] = [:]
        var senders: [Element] = []
        var sessions: [WeakElement] = []
    }

    /// The bandwidth of a session in bits per second, of which RTCP may use a twentieth.
    ///
    /// The session would measure it, but the measurement begins too low: by RFC 4585 §3.5.2, the size of
    /// reports and this bandwidth determine how soon one report may follow another, and so how soon a lost
    /// packet is requested again.
    private static let bandwidth = 4_000_000
    /// The initial interval in milliseconds at which the peer is told which of its numbered packets have
    /// arrived.
    ///
    /// By default the session would send this feedback after each frame, which is expensive with many calls
    /// and has no benefit.
    private static let feedbackInterval = 100
    /// The minimum interval of the first regular RTCP packets, in milliseconds.
    ///
    /// Until the peer has a report of each stream, it synchronizes audio and video by the arrival of their
    /// first packets, which the encoding of the first frame makes wrong by up to a tenth of a second.
    private static let initialReportInterval = 50
    /// The number of sender reports at this shorter interval, counted over all streams.
    private static let initialReportCount = 40
    /// The maximum number of SSRCs received at once; packets of further ones are dropped.
    ///
    /// Each needs two threads and a jitter buffer, and a hostile peer may use any number of them. A call
    /// negotiates two m-lines; each may carry media, retransmission, forward error correction, and one more
    /// SSRC if a sender changes its own. A silent SSRC frees its place when RTCP times it out (RFC 3550
    /// §6.3.5).
    private static let maximumStreams = 8
    /// The maximum number of jitter buffers to remember; a hostile peer may change its SSRCs at will.
    private static let maximumJitterBuffers = 64
    /// The number of consecutive packets with which a stream begins at once.
    ///
    /// With fewer packets it waits for the whole latency, because earlier packets may still be on their way.
    private static let startingPackets = 4
    private let known = Mutex(Known())
    private let sources = Mutex(ReceivedSources())
    /// The minimum time between repetitions for the same packet, in nanoseconds; 0 disables repetition.
    private let repetitionPause = Atomic(UInt64(0))
    private let repetitions = Atomic(0)

    /// Observes `bin`; regular RTCP packets are at least `reportInterval` milliseconds apart.
    init(of bin: Bin, reportInterval: Int) {
        bin.object.connect("deep-element-added") { [weak self] arguments in
            guard let element = arguments.object(2).map(Element.init) else { return }
            switch element.factoryName {
            case "rtpsession": self?.prepare(session: element, reportInterval: reportInterval)
            case "nicesrc":
                // Here the SSRCs are still readable, and nothing has stored state for them yet.
                element.pad("src")?.dropMedia { [weak self] in self?.admits($0) ?? false }
            case "rtprtxsend": self?.add(sender: element)
            default: break
            }
        }
        bin.element(named: "rtpbin")?.set("max-streams", Self.maximumStreams)
        // Runs after webrtcbin's own handler, which applies the settings of the bundle's last transceiver.
        bin.element(named: "rtpbin")?.object.connect("new-jitterbuffer") { [weak self] arguments in
            guard let element = arguments.object(1).map(Element.init) else { return }
            // With `rtx-next-seqnum`, the buffer would predict packets from their pace, request them before
            // they are sent, give them up, and drop them on arrival.
            element.set("rtx-next-seqnum", false)
            JitterBuffer(element: element).start(after: Self.startingPackets)
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
        // Reports state the capture time (RFC 3550 §6.4.1). By default the latency since then is added, which
        // is known only after the first packets; until then, one stream would seem much later than the other
        // to the peer.
        session.set("rtcp-sync-send-time", false)
        if let inner = session.objectProperty("internal-session").map(Element.init) {
            known.withLock { $0.sessions.append(WeakElement(inner)) }
            set(feedbackInterval: Self.feedbackInterval)
        }
        let weakSession = WeakObjectRef(session.object)
        session.object.connect("pad-added") { [weak self] arguments in
            guard let pad = arguments.object(1).map(Pad.init) else { return }
            switch pad.name {
            case "send_rtcp_src":
                pad.dropByePackets()
                pad.onSenderReports(Self.initialReportCount) {
                    weakSession.object.map(Element.init)?.set("rtcp-min-interval", reportInterval * 1_000_000)
                }
            case "recv_rtcp_sink": pad.dropReports { [weak self] in self?.admits($0) ?? false }
            default: break
            }
        }
    }

    /// Sets the interval of transport-wide feedback to the peer, in milliseconds.
    package func set(feedbackInterval milliseconds: Int) {
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
        let requests = Mutex(RecentRequests())
        sender.pad("src")?.repeatRetransmissionRequests { [weak self] number in
            guard let self else { return false }
            let pause = repetitionPause.load(ordering: .relaxed)
            let now = MediaClock.shared.now
            guard pause > 0, requests.withLock({ $0.isDue(number, at: now, every: pause) }) else {
                return false
            }
            repetitions.add(1, ordering: .relaxed)
            return true
        }
    }

    /// Sends two copies of each packet that the peer requests, at most once per `pause` seconds; nil disables
    /// this.
    ///
    /// The second copy helps if the first is lost like the original. A peer that repeats its request before a
    /// response can arrive gets one packet for each request, and needs no second copy of those.
    package func repeatRetransmissions(every pause: Double?) {
        let nanoseconds = pause.map { UInt64(max(0.001, min($0, 5)) * 1_000_000_000) }
        repetitionPause.store(nanoseconds ?? 0, ordering: .relaxed)
    }

    /// Finds the jitter buffer of this SSRC; nil before its first packet.
    package func jitterBuffer(_ ssrc: UInt32) -> JitterBuffer? {
        known.withLock { $0.jitterBuffers[ssrc] }.map(JitterBuffer.init)
    }

    /// The number of retransmissions that the peer has requested, and of the packets sent in response.
    package var retransmitted: (requests: Int, packets: Int) {
        let senders = known.withLock { $0.senders }
        let taken = senders.reduce(0) { $0 + $1.int("num-rtx-requests") }
        return (
            max(0, taken - repetitions.load(ordering: .relaxed)),
            senders.reduce(0) { $0 + $1.int("num-rtx-packets") }
        )
    }
}
