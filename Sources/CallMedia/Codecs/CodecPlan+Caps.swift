package import CallCore

/// The caps that configure webrtcbin's offers and answers.
extension CodecPlan {
    /// Returns the caps with which webrtcbin offers our codecs of `kind`; nil if there is none.
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
