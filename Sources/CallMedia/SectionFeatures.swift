internal import CallCore

/// What an m-line settles on beyond its codec, so that a call survives loss and adapts to the network.
struct SectionFeatures: Hashable, Sendable {
    /// draft-holmer-rmcat-transport-wide-cc-extensions-01.
    static let transportFeedbackURI =
        "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
    /// The identifier under which we offer it, which is the one of browsers.
    private static let offeredID = 3

    /// The header extension that numbers packets for the peer's transport-wide feedback, 1…14.
    var transportFeedbackID: Int?
    /// Whether lost packets are asked for again (RFC 4585 §6.2.1).
    var hasNack: Bool
    /// What names our packets; nil where we send none.
    var ssrc: UInt32?

    /// What we offer; sound is not sent again, because browsers do not either.
    static func offered(_ kind: MediaKind, ssrc: UInt32?) -> SectionFeatures {
        SectionFeatures(transportFeedbackID: offeredID, hasNack: kind == .video, ssrc: ssrc)
    }

    /// What the peer's section allows for the format of this payload type.
    init(of section: MediaSection, payloadType: Int, ssrc: UInt32?) {
        let feedback = section.codecs.first { $0.payloadType == payloadType }?.feedback ?? []
        let id = section.headerExtensions.first { $0.uri == Self.transportFeedbackURI }?.id
        // Above 14 it would need two-byte headers (RFC 8285 §4.3), which nobody offers for it.
        let isUsable = feedback.contains("transport-cc") && (1...14).contains(id ?? 0)
        transportFeedbackID = isUsable ? id : nil
        hasNack = section.kind == .video && feedback.contains("nack")
        self.ssrc = ssrc
    }

    private init(transportFeedbackID: Int?, hasNack: Bool, ssrc: UInt32?) {
        (self.transportFeedbackID, self.hasNack, self.ssrc) = (transportFeedbackID, hasNack, ssrc)
    }

    /// The codec caps of a transceiver with these features in each of their structures.
    func added(to caps: String) -> String {
        var fields = ""
        if let transportFeedbackID {
            fields += ",extmap-\(transportFeedbackID)=(string)\(Self.transportFeedbackURI)"
            fields += ",rtcp-fb-transport-cc=(boolean)true"
        }
        if let ssrc { fields += ",ssrc=(uint)\(ssrc)" }
        return caps.split(separator: ";").map { $0 + fields }.joined(separator: ";")
    }
}
