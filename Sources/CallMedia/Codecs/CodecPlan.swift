package import Basics
package import CallCore
package import MediaKit

/// The codecs that a call offers and accepts, and the rules for choosing one for each m-line.
package struct CodecPlan: Hashable, Sendable {
    /// The codecs in order of preference.
    package var codecs: [Codec]
    /// The codecs in which the source delivers encoded media; the value describes an H.264 stream and is nil
    /// for other codecs.
    package var passthrough: [Codec: H264Stream?] = [:]
    /// Whether codecs in which the source delivers encoded media come first, regardless of the order of
    /// `codecs`.
    package var prefersReady = true
    /// The H.264 level that we offer; video that we send may exceed it only if the answer allows level
    /// asymmetry.
    package var level = CodecPlan.minimumLevel

    /// The level of 720p at 30 frames per second, which every peer offers and decodes.
    package static let minimumLevel = H264Level.level3_1

    package init(codecs: [Codec]) { self.codecs = codecs }

    /// The codec negotiated for one m-line.
    package struct Choice: Hashable, Sendable {
        package var codec: Codec
        package var payloadType: Int
        /// The H.264 format that the peer accepts; nil for other codecs.
        package var h264: H264Format?
        /// The Opus format that the peer accepts; nil for other codecs.
        package var opus: OpusFormat?

        /// The H.264 limit for video that is encoded for the peer; nil if there is none.
        ///
        /// With level asymmetry there is no limit, because the level that a browser states is then only the
        /// minimum that the browser decodes.
        var limit: H264Level.Demand? {
            guard let h264, !h264.allowsLevelAsymmetry else { return nil }
            return h264.demand
        }

        /// The name of the pipeline templates that encode and payload the stream for the peer.
        var pipelineName: String {
            h264?.packetizationMode == .singleUnit ? "\(codec.pipelineName)-single" : codec.pipelineName
        }
    }

    /// Returns our codecs of one kind in order of preference.
    package func preferred(_ kind: MediaKind) -> [Codec] {
        let mine = codecs.filter { $0.kind == kind }
        guard prefersReady else { return mine }
        return mine.filter { passthrough[$0] != nil } + mine.filter { passthrough[$0] == nil }
    }

    // MARK: Answering

    /// Chooses the best codec in an offered section; nil if the section contains none of our codecs.
    ///
    /// A codec in which the source delivers encoded media needs no encoder and comes first. If `prefersReady`
    /// is false, only the order of `codecs` decides. If several H.264 formats are offered, one with the
    /// profile of the stream to send is preferred.
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

    /// Returns the offered format in which the source's own stream can be sent without re-encoding; nil if
    /// there is none.
    private func readyFormat(_ codec: Codec, among offered: [Choice]) -> Choice? {
        guard let own = passthrough[codec] else { return nil }
        let fitting = offered.filter { $0.codec == codec && Self.accepts($0, own) }
        return fitting.first { $0.h264?.profile == own?.profile } ?? fitting.first
    }

    /// Chooses an offered format to encode in; nil if the codec is not offered.
    ///
    /// For H.264, it prefers packetization mode 1, in which slices may have any size, and constrained
    /// baseline, which is the profile that our encoders produce.
    private static func encodedFormat(_ codec: Codec, among offered: [Choice]) -> Choice? {
        let formats = offered.filter { $0.codec == codec }
        let fragmented = formats.filter { $0.h264?.packetizationMode != .singleUnit }
        let best = fragmented.isEmpty ? formats : fragmented
        return best.first { $0.h264?.profile == .constrainedBaseline } ?? best.first
    }

    /// Returns the codec that an answer selects: the first format in the section whose codec we offered; nil
    /// if there is none.
    ///
    /// The decoding capacity that an H.264 format requires is limited to that of `level`.
    package func answered(in section: MediaSection, kind: MediaKind) -> Choice? {
        guard !section.isRejected else { return nil }
        let answered = section.codecs.lazy.compactMap(Self.choice)
        guard var choice = answered.first(where: { $0.codec.kind == kind && codecs.contains($0.codec) })
        else { return nil }
        if let h264 = choice.h264 { choice.h264?.demand = h264.demand.narrowed(to: level.demand) }
        return choice
    }

    /// Returns whether a peer that negotiated `choice` accepts the source's stream without re-encoding.
    static func accepts(_ choice: Choice, _ own: H264Stream?) -> Bool {
        guard let own, let h264 = choice.h264 else { return true }
        return h264.accepts(own)
    }

    private static func choice(of format: PayloadFormat) -> Choice? {
        guard let codec = Codec(encodingName: format.name), format.clockRate == codec.clockRate,
            codec.isPayloaded(as: format.payloadType)
        else { return nil }
        var choice = Choice(codec: codec, payloadType: format.payloadType)
        switch codec {
        case .vp8: return choice
        case .opus:
            choice.opus = OpusFormat(parameters: format.parameters)
            return choice
        case .pcmu, .pcma: return format.channels == 1 ? choice : nil
        case .vp9:
            // Profile 0 has 8 bits and 4:2:0, which every peer supports (RFC 9628 §6).
            return format.parameters["profile-id", default: "0"] == "0" ? choice : nil
        case .h264:
            guard let h264 = H264Format(parameters: format.parameters) else { return nil }
            return Choice(codec: .h264, payloadType: format.payloadType, h264: h264)
        }
    }
}

// MARK: - Caps

/// The caps that configure webrtcbin's offers and answers.
extension CodecPlan {
    /// Returns the caps with which webrtcbin offers our codecs of `kind`; nil if there are no such codecs.
    package func offerCaps(_ kind: MediaKind) -> String? {
        var payloadType = kind == .video ? 96 : 110
        let structures = preferred(kind).flatMap(offerParameters).map { codec, parameters in
            if let assigned = codec.assignedPayloadType { return Self.caps(codec, assigned) + parameters }
            defer { payloadType += 1 }
            return Self.caps(codec, payloadType) + parameters
        }
        return structures.isEmpty ? nil : structures.joined(separator: ";")
    }

    private func offerParameters(_ codec: Codec) -> [(Codec, String)] {
        let feedback = ",rtcp-fb-nack-pli=(boolean)true,rtcp-fb-ccm-fir=(boolean)true"
        switch codec {
        case .opus: return [(codec, ",encoding-params=(string)2,minptime=(string)10,useinbandfec=(string)1")]
        case .pcmu, .pcma: return [(codec, "")]
        case .vp8: return [(codec, feedback)]
        case .vp9: return [(codec, ",profile-id=(string)0\(feedback)")]
        case .h264: return h264Formats.map { (codec, ",\($0.caps)\(feedback)") }
        }
    }

    /// The offered H.264 formats: the source's profile first, then constrained baseline in both packetization
    /// modes.
    ///
    /// Packetization mode 0 is for peers that support nothing else.
    private var h264Formats: [H264Format] {
        var formats = [
            H264Format(.constrainedBaseline, level), H264Format(.constrainedBaseline, level, .singleUnit),
        ]
        if let own = passthrough[.h264] ?? nil, own.profile != .constrainedBaseline {
            formats.insert(H264Format(own.profile, level), at: 0)
        }
        return formats
    }

    /// Returns the caps that restrict webrtcbin to one offered format.
    package static func answerCaps(_ choice: Choice) -> String {
        var text = caps(choice.codec, choice.payloadType)
        if let id = choice.h264?.profileLevelID { text += ",profile-level-id=(string)\(id)" }
        return text
    }

    private static func caps(_ codec: Codec, _ payloadType: Int) -> String {
        "application/x-rtp,media=(string)\(codec.kind),encoding-name=(string)\(codec.rawValue),"
            + "clock-rate=(int)\(codec.clockRate),payload=(int)\(payloadType)"
    }
}
