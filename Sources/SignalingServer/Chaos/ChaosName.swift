/// The named fault profiles.
package enum ChaosName: String, CaseIterable, Sendable {
    case lossy, duplicating, slow, reordering, garbling, flaky, silent
    case noAnswers = "no-answers"
    case noCandidates = "no-candidates"
    case deaf, storm

    /// A short description of the profile.
    package var summary: String {
        switch self {
        case .lossy: "drops events of clients, and room_state"
        case .duplicating: "sends events twice, up to 1.5 s apart"
        case .slow: "delays every event by 0.1 to 1.5 s, in order"
        case .reordering: "delivers an event after the one that follows it"
        case .garbling: "corrupts or removes values in events of clients"
        case .flaky: "closes sockets, after joining and on events"
        case .silent: "sends no list of members to a new member"
        case .noAnswers: "drops answers"
        case .noCandidates: "drops candidates"
        case .deaf: "relays no events"
        case .storm: "all faults of the first six profiles"
        }
    }

    /// The default probability of the profile's faults.
    var chance: Double {
        switch self {
        case .lossy: 0.2
        case .duplicating: 0.5
        case .reordering: 0.4
        case .garbling: 0.15
        case .flaky: 0.3
        case .storm: 0.08
        case .slow, .silent, .noAnswers, .noCandidates, .deaf: 1
        }
    }

    func profile(_ chance: Double, text: String) -> ChaosProfile {
        var profile = ChaosProfile(text: text)
        switch self {
        // `room_user_joined` is not dropped: otherwise a client might never learn of a peer that joins after
        // it.
        case .lossy: profile.set(\.drop, chance, of: ChaosEvent.relayed + [.roomState])
        case .duplicating: profile.set(\.duplicate, chance, of: ChaosEvent.allCases)
        case .slow: profile.set(\.delay, chance, of: ChaosEvent.allCases)
        case .reordering: profile.set(\.reorder, chance, of: ChaosEvent.allCases)
        // Presence events are not garbled: a client could not detect a wrong name in them.
        case .garbling: profile.set(\.garble, chance, of: ChaosEvent.relayed)
        case .flaky:
            profile.closeAfterJoin = chance
            profile.set(\.close, chance / 3, of: ChaosEvent.relayed)
        case .silent: profile.silence = chance
        case .noAnswers: profile.set(\.drop, chance, of: [.answer])
        case .noCandidates: profile.set(\.drop, chance, of: [.candidate])
        case .deaf: profile.set(\.drop, chance, of: ChaosEvent.relayed)
        // `silence` is not included: a client that does not know of any peer cannot detect that an offer was
        // lost.
        case .storm:
            profile.set(\.drop, chance, of: ChaosEvent.relayed + [.roomState])
            profile.set(\.garble, chance, of: ChaosEvent.relayed)
            profile.set(\.close, chance / 3, of: ChaosEvent.relayed)
            for fault in [\FaultProbabilities.duplicate, \.delay, \.reorder] {
                profile.set(fault, chance, of: ChaosEvent.allCases)
            }
            profile.closeAfterJoin = chance
        }
        return profile
    }
}
