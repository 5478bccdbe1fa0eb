internal import CallCore

/// What an m-line settles on beyond its codec, so that a call survives loss and adapts to the network.
struct SectionFeatures: Hashable, Sendable {
    /// draft-holmer-rmcat-transport-wide-cc-extensions-01.
    static let transportFeedbackURI =
        "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
    /// How long pictures are to be held back, which libwebrtc obeys (see `PlayoutDelayHint`).
    static let playoutDelayURI = "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"
    /// The identifiers under which we offer them, which are those of browsers.
    private static let offeredIDs = (transportFeedback: 3, playoutDelay: 6)

    /// The header extension that numbers packets for the peer's transport-wide feedback, 1…14.
    var transportFeedbackID: Int?
    /// The header extension that tells the peer how long to hold pictures back, 1…14.
    var playoutDelayID: Int?
    /// Whether lost packets are asked for again (RFC 4585 §6.2.1).
    var hasNack: Bool
    /// What names our packets; nil where we send none.
    var ssrc: UInt32?

    /// What we offer; sound is not sent again, because browsers do not either.
    static func offered(_ kind: MediaKind, ssrc: UInt32?) -> SectionFeatures {
        SectionFeatures(
            transportFeedbackID: offeredIDs.transportFeedback,
            playoutDelayID: kind == .video ? offeredIDs.playoutDelay : nil,
            hasNack: kind == .video,
            ssrc: ssrc
        )
    }

    /// What the peer's section allows for the format of this payload type.
    init(of section: MediaSection, payloadType: Int, ssrc: UInt32?) {
        let feedback = section.codecs.first { $0.payloadType == payloadType }?.feedback ?? []
        transportFeedbackID =
            feedback.contains("transport-cc") ? Self.id(of: Self.transportFeedbackURI, in: section) : nil
        let delayID = section.kind == .video ? Self.id(of: Self.playoutDelayURI, in: section) : nil
        // One identifier for two is of use to neither.
        playoutDelayID = delayID == transportFeedbackID ? nil : delayID
        hasNack = section.kind == .video && feedback.contains("nack")
        self.ssrc = ssrc
    }

    private init(transportFeedbackID: Int?, playoutDelayID: Int?, hasNack: Bool, ssrc: UInt32?) {
        (self.transportFeedbackID, self.playoutDelayID) = (transportFeedbackID, playoutDelayID)
        (self.hasNack, self.ssrc) = (hasNack, ssrc)
    }

    /// Above 14 it would need two-byte headers (RFC 8285 §4.3), which nobody offers for these.
    private static func id(of uri: String, in section: MediaSection) -> Int? {
        let id = section.headerExtensions.first { $0.uri == uri }?.id
        return id.flatMap { (1...14).contains($0) ? $0 : nil }
    }

    /// The codec caps of a transceiver with these features in each of their structures.
    func added(to caps: String) -> String {
        var fields = ""
        if let transportFeedbackID {
            fields += ",extmap-\(transportFeedbackID)=(string)\(Self.transportFeedbackURI)"
            fields += ",rtcp-fb-transport-cc=(boolean)true"
        }
        if let playoutDelayID { fields += ",extmap-\(playoutDelayID)=(string)\(Self.playoutDelayURI)" }
        if let ssrc { fields += ",ssrc=(uint)\(ssrc)" }
        return caps.split(separator: ";").map { $0 + fields }.joined(separator: ";")
    }
}
