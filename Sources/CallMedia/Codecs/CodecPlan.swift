package import CallCore

/// Which codecs a call offers and accepts; the choice per m-line is pure.
package struct CodecPlan: Hashable, Sendable {
    /// Best first.
    package var codecs: [Codec]
    /// The codecs that the source has ready, and of H.264 what its stream says of itself.
    package var passthrough: [Codec: H264Stream?] = [:]
    /// Whether what the source has ready comes before others, in whatever order they are named.
    package var prefersReady = true
    /// The level of H.264 that we offer, which what we send must not exceed.
    package var level = CodecPlan.leastLevel

    /// 720p at 30 pictures a second: what everybody offers and decodes.
    package static let leastLevel = H264Level.level3_1

    package init(codecs: [Codec]) { self.codecs = codecs }

    /// What was settled for one m-line.
    package struct Choice: Hashable, Sendable {
        package var codec: Codec
        package var payloadType: Int
        /// The form in which the peer takes it, where the codec is H.264.
        package var h264: H264Format?
        /// The same of Opus.
        package var opus: OpusFormat?

        /// What the pictures that are encoded for the peer must fit; nil where nothing bounds them.
        ///
        /// Where levels may differ, a browser's is the least that it decodes, and says nothing.
        var limit: H264Level.Demand? {
            guard let h264, !h264.allowsLevelAsymmetry else { return nil }
            return h264.demand
        }

        /// The name of the descriptions that encode and packetize for the peer.
        var pipelineName: String {
            h264?.packetizationMode == .singleUnit ? "\(codec.pipelineName)-single" : codec.pipelineName
        }
    }

    /// Our codecs of one kind, best first.
    package func preferred(_ kind: MediaKind) -> [Codec] {
        let mine = codecs.filter { $0.kind == kind }
        guard prefersReady else { return mine }
        return mine.filter { passthrough[$0] != nil } + mine.filter { passthrough[$0] == nil }
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
        let fitting = offered.filter { $0.codec == codec && Self.takes($0, own) }
        return fitting.first { $0.h264?.profile == own?.profile } ?? fitting.first
    }

    /// Encoders here make constrained baseline, and best slices of any size.
    private static func encodedFormat(_ codec: Codec, among offered: [Choice]) -> Choice? {
        let formats = offered.filter { $0.codec == codec }
        let fragmented = formats.filter { $0.h264?.packetizationMode != .singleUnit }
        let best = fragmented.isEmpty ? formats : fragmented
        return best.first { $0.h264?.profile == .constrainedBaseline } ?? best.first
    }

    /// The codec that an answer settled on: the first format of its section, where we offered it.
    package func answered(in section: MediaSection, kind: MediaKind) -> Choice? {
        guard !section.isRejected else { return nil }
        let answered = section.codecs.lazy.compactMap(Self.choice)
        guard var choice = answered.first(where: { $0.codec.kind == kind && codecs.contains($0.codec) })
        else { return nil }
        if let h264 = choice.h264 { choice.h264?.demand = h264.demand.narrowed(to: level.demand) }
        return choice
    }

    /// Whether a peer that settled on `choice` takes what the source has ready as it is.
    static func takes(_ choice: Choice, _ own: H264Stream?) -> Bool {
        guard let own, let h264 = choice.h264 else { return true }
        return h264.takes(own)
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
            // Of eight bits and 4:2:0, as everybody has it (RFC 9628 §6).
            return format.parameters["profile-id", default: "0"] == "0" ? choice : nil
        case .h264:
            guard let h264 = H264Format(parameters: format.parameters) else { return nil }
            return Choice(codec: .h264, payloadType: format.payloadType, h264: h264)
        }
    }
}
