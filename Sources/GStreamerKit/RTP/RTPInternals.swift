internal import GLibKit
internal import Synchronization

/// Elements inside a webrtcbin that it has no property for; they are there while it runs.
package final class RTPInternals: Sendable {
    private struct Known {
        var jitterBuffers: [UInt32: Element] = [:]
        var senders: [Element] = []
    }

    /// What RTCP may take a twentieth of, in bits per second.
    ///
    /// The session would measure it, but from too little at the start: by RFC 4585 §3.5.2 the size of reports and
    /// this say how soon one may follow another, and with it how soon a lost packet is asked for.
    private static let bandwidth = 4_000_000
    /// How often the peer is told which of the packets that it numbers have arrived, in nanoseconds.
    ///
    /// By itself the session would tell after each picture, which costs with many calls and serves none.
    private static let feedbackInterval = 100_000_000
    /// How far apart regular RTCP packets are at least while the first ones go out, in milliseconds.
    ///
    /// Until it has a report of either stream the peer puts audio and pictures together by when their first packets
    /// came, which the first picture's encoding makes wrong by up to a tenth of a second.
    private static let hasteInterval = 50
    /// How many sender reports go out in haste; those of each stream count.
    private static let hasteReports = 40
    /// How many SSRCs are received at once; packets of further ones are dropped.
    ///
    /// Each takes two threads and a jitter buffer, and a hostile peer may send under any number of them. A call settles
    /// on two m-lines; of each there may be media, retransmission, forward error correction, and one SSRC more where a
    /// sender changes its own. One that falls silent gives its place back when RTCP gives it up (RFC 3550, 6.3.5).
    package static let mostStreams = 8
    /// A hostile peer may change its SSRCs as often as it likes.
    private static let mostJitterBuffers = 64
    private let known = Mutex(Known())
    private let sources = Mutex(ReceivedSources())
    /// In nanoseconds; 0 where nothing is sent twice.
    private let repetitionPause = Atomic(UInt64(0))
    private let repetitions = Atomic(0)

    /// Watches `bin`; regular RTCP packets are no nearer than `reportInterval` milliseconds.
    init(of bin: Bin, reportInterval: Int) {
        bin.object.connect("deep-element-added") { [weak self] arguments in
            guard let element = arguments.object(2).map(Element.init) else { return }
            switch element.factoryName {
            case "rtpsession": self?.prepare(session: element, reportInterval: reportInterval)
            case "nicesrc":
                // Where sources still stand in clear, before anything is kept for them.
                element.pad("src")?.dropMedia { [weak self] in self?.admits($0) ?? false }
            case "rtprtxsend": self?.add(sender: element)
            default: break
            }
        }
        bin.element(named: "rtpbin")?.set("max-streams", Self.mostStreams)
        // After webrtcbin's own handler, which sets what the last transceiver of the bundle says.
        bin.element(named: "rtpbin")?.object.connect("new-jitterbuffer") { [weak self] arguments in
            guard let element = arguments.object(1).map(Element.init) else { return }
            // By the pace of packets it would ask for those not sent yet, give them up and drop them when they come.
            element.set("rtx-next-seqnum", false)
            self?.add(element, ssrc: arguments.uint(3))
        }
    }

    private func admits(_ ssrc: UInt32) -> Bool {
        let now = MediaClock.shared.now
        return sources.withLock { $0.admits(ssrc, at: now) }
    }

    private func prepare(session: Element, reportInterval: Int) {
        session.set("rtcp-min-interval", Self.hasteInterval * 1_000_000)
        session.set("bandwidth", Self.bandwidth)
        // Reports tell when something was captured (RFC 3550, 6.4.1): what it took since, which is added otherwise, is
        // known only after the first packets, and until then the peer takes one stream for much later than the other.
        session.set("rtcp-sync-send-time", false)
        session.objectProperty("internal-session").map(Element.init)?
            .set("twcc-feedback-interval", Self.feedbackInterval)
        let weakSession = WeakObjectRef(session.object)
        session.object.connect("pad-added") { [weak self] arguments in
            guard let pad = arguments.object(1).map(Pad.init) else { return }
            switch pad.name {
            case "send_rtcp_src":
                pad.keepBackGoodbyes()
                pad.onSenderReports(Self.hasteReports) {
                    weakSession.object.map(Element.init)?.set("rtcp-min-interval", reportInterval * 1_000_000)
                }
            case "recv_rtcp_sink": pad.dropReports { [weak self] in self?.admits($0) ?? false }
            default: break
            }
        }
    }

    private func add(_ jitterBuffer: Element, ssrc: UInt32) {
        known.withLock { known in
            guard known.jitterBuffers.count < Self.mostJitterBuffers || known.jitterBuffers[ssrc] != nil
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

    /// Sends what the peer asks for twice, because it may be lost as what it replaces was; each packet once in so many
    /// seconds, where nil never.
    ///
    /// Whoever asks again before an answer can come gets one for each request, and needs no second of them.
    package func repeatRetransmissions(every pause: Double?) {
        let nanoseconds = pause.map { UInt64(max(0.001, min($0, 5)) * 1_000_000_000) }
        repetitionPause.store(nanoseconds ?? 0, ordering: .relaxed)
    }

    /// Where the packets of this SSRC wait for those before them; nil before the first one.
    package func jitterBuffer(_ ssrc: UInt32) -> JitterBuffer? {
        known.withLock { $0.jitterBuffers[ssrc] }.map(JitterBuffer.init)
    }

    /// How often the peer has asked for a packet again, and how many of those were sent.
    package var retransmitted: (requests: Int, packets: Int) {
        let senders = known.withLock { $0.senders }
        let taken = senders.reduce(0) { $0 + $1.int("num-rtx-requests") }
        return (
            max(0, taken - repetitions.load(ordering: .relaxed)),
            senders.reduce(0) { $0 + $1.int("num-rtx-packets") }
        )
    }
}
