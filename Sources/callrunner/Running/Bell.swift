internal import AppFlow
internal import Basics
internal import CallCore

/// The player of the ringtone for incoming calls that have not been answered yet.
struct Bell: Sendable {
    /// Plays the ringtone until its task is cancelled.
    let ring: @Sendable () async -> Void

    /// Plays the ringtone while a screen shows an unanswered incoming call; returns when `screens` ends.
    func follow(_ screens: AsyncStream<CallsScreen>) async {
        await screens.forLatest { await attend($0) }
    }

    /// Plays the ringtone while a call from a conversation rings; returns when `rings` ends.
    func follow(_ rings: AsyncStream<ChatRing?>) async { await ring(while: rings.map { $0 != nil }) }

    private func attend(_ screen: CallsScreen) async {
        switch screen {
        case .login: break
        case .room(let room): await ring(while: room.store.states.map { $0.ring != nil })
        case .call(let call):
            await ring(while: call.store.states.map { $0.isIncoming && $0.call == .ringing })
        }
    }

    private func ring(while states: some AsyncSequence<Bool, Never>) async {
        var tone: Task<Void, Never>?
        for await isAsked in states where isAsked != (tone != nil) {
            tone?.cancel()
            await tone?.value
            tone = isAsked ? Task { await ring() } : nil
        }
        tone?.cancel()
        await tone?.value
    }
}
