import AppFlow
import Basics
import CallCore
import CallTesting
import Testing

// Tests of the state that one side receives from the other.
extension AppCallTests {
    @Test("A missed call is still shown after the caller has left and rejoined", .timeLimit(.minutes(4)))
    func missedAndBack() async throws {
        let returnReason = try await pair { ann, bob, clock in
            try await ann.room().send(.startCall)
            try await bob.room { $0.ring != nil }
            try await ann.call().send(.hangUp)
            try await ann.room(\.isConnected).send(.disconnect)
            try await ann.room(\.canChangeRole)
            try await bob.room { $0.peer == nil && $0.ring == nil }
            try await ann.connect()
            return try await bob.room { $0.peer != nil }.store.state.returnReason
        }
        #expect(returnReason == .callMissed("Ann"))
    }

    @Test("Each side sees when the other mutes, turns off its camera or records", .timeLimit(.minutes(4)))
    func mediaStates() async throws {
        let states = try await pair { ann, bob, clock in
            try await ann.room().send(.setMuted(true))
            try await ann.room().send(.startCall)
            try await bob.room { $0.ring != nil }.send(.accept)
            let mine = try await ann.call { $0.peerMedia != nil }
            let theirs = try await bob.call { $0.peerMedia?.sendsAudio == false }
            mine.send(.setCameraOff(true))
            try await bob.call { $0.peerMedia?.sendsVideo == false }
            theirs.send(theirs.store.state.recordingCommand)
            try await ann.call { $0.peerMedia?.isRecording == true }
            try await bob.call { $0.controls.recording != nil }
            theirs.send(theirs.store.state.recordingCommand)
            try await ann.call { $0.peerMedia?.isRecording == false }
            return [mine, theirs].map(\.store.state.peerMedia)
        }
        #expect(states.first == .some(MediaState()))
        #expect(states.last??.sendsAudio == false && states.last??.sendsVideo == false)
    }
}
