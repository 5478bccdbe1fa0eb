internal import Basics
internal import CallCore

/// The features negotiated for an m-line in addition to its codec: NACK, and the header extensions for
/// transport-wide feedback and playout delay.
struct SectionFeatures: Hashable, Sendable {
    /// The URI of the header extension for transport-wide sequence numbers
    /// (draft-holmer-rmcat-transport-wide-cc-extensions-01).
    static let transportFeedbackURI =
        "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
    /// The URI of the header extension for the playout delay, which libwebrtc applies to video (see
    /// `PlayoutDelayHint`).
    static let playoutDelayURI = "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"
    /// The extension IDs that we offer; browsers offer the same ones.
    private static let offeredIDs = (transportFeedback: 3, playoutDelay: 6)

    /// The ID of the header extension for transport-wide sequence numbers, 1…14; nil if not negotiated.
    var transportFeedbackID: Int?
    /// The ID of the header extension for the playout delay, 1…14; nil if not negotiated.
    var playoutDelayID: Int?
    /// Whether the retransmission of lost packets is requested by NACK (RFC 4585 §6.2.1).
    var hasNack: Bool
    /// The SSRC of our packets; nil if we send none.
    var ssrc: UInt32?

    /// Returns the features that we offer; audio is not retransmitted, because browsers do not retransmit it
    /// either.
    static func offered(_ kind: MediaKind, ssrc: UInt32?) -> SectionFeatures {
        SectionFeatures(
            transportFeedbackID: offeredIDs.transportFeedback,
            playoutDelayID: kind == .video ? offeredIDs.playoutDelay : nil,
            hasNack: kind == .video,
            ssrc: ssrc
        )
    }

    /// Reads the features that the peer's section allows for the format of this payload type.
    init(of section: MediaSection, payloadType: Int, ssrc: UInt32?) {
        let feedback = section.codecs.first { $0.payloadType == payloadType }?.feedback ?? []
        transportFeedbackID =
            feedback.contains("transport-cc") ? Self.id(of: Self.transportFeedbackURI, in: section) : nil
        let delayID = section.kind == .video ? Self.id(of: Self.playoutDelayURI, in: section) : nil
        // One ID for both extensions would make both unusable.
        playoutDelayID = delayID == transportFeedbackID ? nil : delayID
        hasNack = section.kind == .video && feedback.contains("nack")
        self.ssrc = ssrc
    }

    private init(transportFeedbackID: Int?, playoutDelayID: Int?, hasNack: Bool, ssrc: UInt32?) {
        (self.transportFeedbackID, self.playoutDelayID) = (transportFeedbackID, playoutDelayID)
        (self.hasNack, self.ssrc) = (hasNack, ssrc)
    }

    /// Returns the ID of an extension; nil if it is absent or above 14.
    ///
    /// Larger IDs need two-byte headers (RFC 8285 §4.3), which peers do not offer.
    private static func id(of uri: String, in section: MediaSection) -> Int? {
        let id = section.headerExtensions.first { $0.uri == uri }?.id
        return id.flatMap { (1...14).contains($0) ? $0 : nil }
    }

    /// Returns a transceiver's codec caps with these features, except NACK, added to each structure.
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
