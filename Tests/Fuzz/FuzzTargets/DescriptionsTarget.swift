@testable internal import CallCore
@testable internal import CallMedia
internal import Basics
internal import MediaKit

/// The fuzz target for all code that reads or changes session descriptions.
///
/// A description that our code has changed must still be valid, with the same number of media sections and
/// the same ICE ufrags.
package enum DescriptionsTarget {
    private static let plan = CodecPlan(codecs: Codec.allCases)

    package static func take(_ input: UnsafeRawBufferPointer) {
        let text = String(decoding: input, as: UTF8.self)
        guard let description = try? SessionDescription(parsing: text) else { return }
        choose(in: description)
        verify(by: description)
        change(text, of: description)
        drive(with: text)
    }

    /// Checks that the rejection of a certificate states a reason.
    private static func verify(by description: SessionDescription) {
        guard let fingerprints = try? description.certificateFingerprints() else { return }
        let objection = fingerprints.objection { Array(repeating: 0xA5, count: $0.length) }
        precondition(objection?.isEmpty != true, "an objection without words")
    }

    private static func choose(in description: SessionDescription) {
        for (index, section) in description.media.enumerated() {
            if let mid = section.mid {
                precondition(description.index(ofMid: mid).map { $0 <= index } == true, "\(mid) is lost")
            }
            for kind in MediaKind.allCases {
                for choice in [plan.choice(in: section, kind: kind), plan.answered(in: section, kind: kind)] {
                    guard let choice else { continue }
                    precondition(section.codecs.contains { $0.payloadType == choice.payloadType })
                    precondition(!CodecPlan.answerCaps(choice).utf8.contains(0x0A))
                }
            }
        }
    }

    private static func change(_ text: String, of description: SessionDescription) {
        let active = Set(description.media.indices.filter { $0.isMultiple(of: 2) })
        let inactive = SectionDirections.inactivating(allBut: active, in: text)
        for changed in [inactive, DuplicateLines.removed(from: text)] {
            guard let again = try? SessionDescription(parsing: changed) else {
                preconditionFailure("what is left of it is no description")
            }
            precondition(again.media.count == description.media.count, "a section is lost")
            precondition(again.iceUfrags == description.iceUfrags, "a ufrag is lost")
        }
    }

    /// Passes the description as an offer to a callee, and as an answer to a caller.
    private static func drive(with text: String) {
        var callee = AttemptStateMachine(role: .callee)
        if let offer = try? SessionOffer(parsing: text) {
            precondition(!callee.handle(.offerReceived(offer)).isEmpty, "the first offer begins the attempt")
            _ = callee.handle(.answerCreated("v=0\r\na=ice-ufrag:us\r\n"))
            _ = callee.handle(.offerReceived(offer))
        }
        var caller = AttemptStateMachine(role: .caller)
        _ = caller.handle(.start)
        _ = caller.handle(.offerCreated("v=0\r\no=- 1 1 IN IP4 0\r\na=ice-ufrag:us\r\n"))
        _ = caller.handle(.answerReceived(.init(text), offerID: nil))
        let isVerifiable = (try? SessionDescription(parsing: text).certificateFingerprints()) != nil
        precondition((caller.state == .connecting) == isVerifiable, "what can be verified is an answer")
        var facts = PathFacts()
        if let description = try? SessionDescription(parsing: text) { facts.addRemote(of: description) }
    }
}
