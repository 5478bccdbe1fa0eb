internal import Basics
internal import CallCore
internal import MediaKit

/// The negotiation of codecs with a remote session description.
extension LiveMediaSession {
    /// Chooses a codec for the first usable section of each kind; a section already in use keeps its format
    /// if the format is still offered.
    ///
    /// - Throws: `CallMediaFailure` if no section is usable or the codec of a stream that we send would change.
    func settle(_ remote: SessionDescription) throws -> [Int: CodecPlan.Choice] {
        var settled: [Int: CodecPlan.Choice] = [:]
        var kinds: Set<MediaKind> = []
        for (index, section) in remote.media.enumerated() {
            guard let kind = section.mediaKind, !section.isRejected, scope.kinds.contains(kind),
                !kinds.contains(kind),
                let choice = standing(in: section, at: index) ?? plan.choice(in: section, kind: kind)
            else { continue }
            guard outgoing[index] == nil || choice == choices[index] else {
                throw CallMediaFailure.badDescription(
                    "it changes the codec of a stream that the peer already receives"
                )
            }
            settled[index] = choice
            kinds.insert(kind)
        }
        guard !settled.isEmpty else { throw nothingSettled(with: remote) }
        return settled
    }

    /// Returns the codec negotiated earlier for the section, if it is still offered.
    private func standing(in section: MediaSection, at index: Int) -> CodecPlan.Choice? {
        guard let choice = choices[index] else { return nil }
        let isOffered = section.codecs.contains {
            $0.payloadType == choice.payloadType && Codec(encodingName: $0.name) == choice.codec
        }
        return isOffered ? choice : nil
    }

    /// Returns the sections of an offer whose SSRCs may be passed to webrtcbin.
    ///
    /// In a renegotiation, these are the sections in use: packets may arrive before the answer is set, while the other
    /// sections have no transport yet.
    func sources(in settled: [Int: CodecPlan.Choice]) -> Set<Int> {
        let sections = Set(settled.keys)
        return outline == nil ? sections : sections.intersection(choices.keys)
    }

    /// Checks that webrtcbin's answer accepts the sections that we chose, and retains the transport of the offer.
    ///
    /// webrtcbin rejects a section that it cannot interpret, for example one with two directions. It then leaves the
    /// section without a transport, or moves the others to a new one.
    ///
    /// - Throws: `CallMediaFailure.badDescription`.
    func check(
        _ answer: String,
        to offer: SectionOutline,
        accepting settled: some Sequence<Int>
    ) throws(CallMediaFailure) {
        let sections = (try? SessionDescription(parsing: answer))?.media ?? []
        for index in settled where !sections.indices.contains(index) || sections[index].isRejected {
            throw .badDescription("webrtcbin rejects its section \(index + 1)")
        }
        guard try SectionOutline(of: answer).tagged == offer.tagged else {
            throw .badDescription("its BUNDLE group does not begin with the first section in use")
        }
    }

    /// Returns the reason why no section of the peer's session description is usable.
    func nothingSettled(with remote: SessionDescription) -> CallMediaFailure {
        var sections: [MediaSection] = []
        var (theirs, common): (Set<MediaKind>, Set<MediaKind>) = ([], [])
        for section in remote.media where !section.isRejected {
            guard let kind = section.mediaKind else { continue }
            theirs.insert(kind)
            guard scope.kinds.contains(kind) else { continue }
            common.insert(kind)
            sections.append(section)
        }
        guard common.isEmpty else {
            let mine = plan.codecs.filter { common.contains($0.kind) }.map(\.rawValue)
            return .noCommonCodec(offered: CodecNames.offered(in: sections), accepted: mine)
        }
        let what = theirs.isEmpty ? "neither audio nor video" : "only \(Self.words(theirs))"
        return .nothingToCarry(
            "the peer's session description has \(what), and this call is for \(Self.words(scope.kinds))"
        )
    }

    /// The reason why no offer can be created.
    var nothingToOffer: CallMediaFailure {
        .nothingToCarry("this call is for \(Self.words(scope.kinds)), which the source does not have")
    }

    private static func words(_ kinds: Set<MediaKind>) -> String {
        [(MediaKind.audio, "audio"), (.video, "video")].filter { kinds.contains($0.0) }.map(\.1)
            .joined(separator: " and ")
    }
}
