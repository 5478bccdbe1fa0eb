package import CallCore

/// Which codecs a call offers and accepts; the choice per m-line is pure.
package struct CodecPlan: Hashable, Sendable {
    /// Best first.
    package var codecs: [Codec]
    /// The codec that the source has ready, by kind, and its H.264 profile.
    package var passthrough: [Codec: H264Profile?] = [:]
    /// Whether what the source has ready comes before others, in whatever order they are named.
    package var prefersReady = true

    package init(codecs: [Codec]) { self.codecs = codecs }

    /// What was settled for one m-line.
    package struct Choice: Hashable, Sendable {
        package var codec: Codec
        package var payloadType: Int
        /// What the peer decodes, where the codec is H.264.
        package var profile: H264Profile?
        /// The offered `profile-level-id`, which an answer repeats.
        var profileLevelID: String?
    }

    /// Our codecs of one kind, best first.
    package func preferred(_ kind: MediaKind) -> [Codec] {
        let mine = codecs.filter { $0.kind == kind }
        guard prefersReady else { return mine }
        return mine.filter { passthrough[$0] != nil } + mine.filter { passthrough[$0] == nil }
    }

    // MARK: Offering

    /// The caps that make webrtcbin offer our codecs of `kind`; nil where there is none.
    package func offerCaps(_ kind: MediaKind) -> String? {
        var payloadType = kind == .video ? 96 : 110
        let structures = preferred(kind).flatMap(offerParameters).map { codec, parameters in
            defer { payloadType += 1 }
            return "\(Self.caps(codec, payloadType)),\(parameters)"
        }
        return structures.isEmpty ? nil : structures.joined(separator: ";")
    }

    private func offerParameters(_ codec: Codec) -> [(Codec, String)] {
        let feedback = "rtcp-fb-nack-pli=(boolean)true,rtcp-fb-ccm-fir=(boolean)true"
        switch codec {
        case .opus: return [(.opus, "encoding-params=(string)2,minptime=(string)10,useinbandfec=(string)1")]
        case .vp8: return [(.vp8, feedback)]
        case .h264:
            var profiles = [H264Profile.constrainedBaseline]
            if let own = passthrough[.h264] ?? nil, !profiles.contains(own) { profiles.insert(own, at: 0) }
            return profiles.map { profile in
                (
                    .h264,
                    "profile-level-id=(string)\(profile.prefix)1f,packetization-mode=(string)1,"
                        + "level-asymmetry-allowed=(string)1,\(feedback)"
                )
            }
        }
    }

    // MARK: Answering

    /// The best codec of an offered section; nil where there is none in common.
    ///
    /// What the source has ready costs nothing and comes first, unless the user named an order; then our
    /// own order of preference. Among several formats of H.264 the one closest to what is sent wins.
    package func choice(in section: MediaSection, kind: MediaKind) -> Choice? {
        let offered = section.codecs.compactMap(Self.choice)
        let mine = codecs.filter { $0.kind == kind }
        if prefersReady, let ready = mine.lazy.compactMap({ readyFormat($0, among: offered) }).first {
            return ready
        }
        return mine.lazy.compactMap { codec in
            readyFormat(codec, among: offered) ?? Self.encodedFormat(codec, among: offered)
        }.first
    }

    /// The format in which the source's own stream may go out.
    private func readyFormat(_ codec: Codec, among offered: [Choice]) -> Choice? {
        guard let own = passthrough[codec] else { return nil }
        let fitting = offered.filter { $0.codec == codec && Self.decodes($0.profile, own) }
        return fitting.first { $0.profile == own } ?? fitting.first
    }

    private static func encodedFormat(_ codec: Codec, among offered: [Choice]) -> Choice? {
        // Encoders here make constrained baseline.
        let formats = offered.filter { $0.codec == codec }
        return formats.first { $0.profile == .constrainedBaseline } ?? formats.first
    }

    /// The codec that an answer settled on: the first format of its section, where we offered it.
    package func answered(in section: MediaSection, kind: MediaKind) -> Choice? {
        guard !section.isRejected else { return nil }
        let answered = section.codecs.lazy.compactMap(Self.choice)
        return answered.first { $0.codec.kind == kind && codecs.contains($0.codec) }
    }

    /// The caps that hold webrtcbin to one offered format.
    package static func answerCaps(_ choice: Choice) -> String {
        let profile = choice.profileLevelID.map { ",profile-level-id=(string)\($0)" } ?? ""
        return caps(choice.codec, choice.payloadType) + profile
    }

    /// Whether a peer that accepts `profile` shows what the source has ready in `own`.
    static func decodes(_ profile: H264Profile?, _ own: H264Profile?) -> Bool {
        guard let own else { return true }
        return (profile ?? .baseline).decodes(own)
    }

    private static func choice(of format: PayloadFormat) -> Choice? {
        guard let codec = Codec(encodingName: format.name), format.clockRate == codec.clockRate else {
            return nil
        }
        guard codec == .h264 else { return Choice(codec: codec, payloadType: format.payloadType) }
        guard format.parameters["packetization-mode"] == "1" else { return nil }  // pictures span packets
        let id = format.parameters["profile-level-id"].flatMap { $0.utf8.count == 6 ? $0 : nil }
        // RFC 6184 §8.1 says baseline where it is absent; every browser reads constrained baseline.
        guard let profile = id.map({ H264Profile(profileLevelID: $0) }) ?? .constrainedBaseline else {
            return nil
        }
        return Choice(codec: .h264, payloadType: format.payloadType, profile: profile, profileLevelID: id)
    }

    private static func caps(_ codec: Codec, _ payloadType: Int) -> String {
        "application/x-rtp,media=(string)\(codec.kind),encoding-name=(string)\(codec.rawValue),"
            + "clock-rate=(int)\(codec.clockRate),payload=(int)\(payloadType)"
    }
}
