import Basics
import Testing

@testable import AppFlow
@testable import CallCore

@Suite("Room view model")
@MainActor
struct RoomViewModelTests {
    @Test("During an automatic retry, but not a manual one, the previous connection loss is shown")
    func earlierLoss() throws {
        let identity = try Identity(username: Username("Ann"), room: RoomID(1))
        let room = RoomViewModel(RoomState(identity: identity, role: .caller), router: CommandRouter())
        let loss = RoomLoss(reason: .disconnected("transport close"), retryIn: 2)
        room.disconnected(loss, role: .caller)
        room.connecting(as: .caller)
        #expect(room.store.state.earlierLoss == loss)
        room.disconnected(RoomLoss(reason: .failed(Diagnosis(SignalingFailure.roleTaken))), role: .caller)
        room.connecting(as: .callee)
        #expect(room.store.state.earlierLoss == nil)
    }

    @Test(
        "A callee can be armed for an automatic answer only while connected, and a disconnect disarms it"
    )
    func armed() throws {
        let identity = try Identity(username: Username("Bob"), room: RoomID(1))
        var state = RoomState(identity: identity, role: .callee)
        state.isManaged = true
        let room = RoomViewModel(state, router: CommandRouter())
        room.setArmed(true)
        #expect(!room.store.state.isArmed)
        room.store.update { $0.connection = .connected }
        room.setArmed(true)
        #expect(room.store.state.isArmed && !room.store.state.canStartCall)
        room.disconnected(nil, role: .callee)
        #expect(!room.store.state.isArmed)
    }

    @Test("A missed call is shown until another call ends, even if the connection is lost and restored")
    func missed() throws {
        let identity = try Identity(username: Username("Bob"), room: RoomID(1))
        let room = RoomViewModel(RoomState(identity: identity, role: .callee), router: CommandRouter())
        let ann = Participant(username: "Ann", role: .caller)
        let presence = PresenceTracker(role: .callee)
        room.returned(.callMissed("Ann"), controls: CallControls())
        room.disconnected(RoomLoss(reason: .disconnected("transport close"), retryIn: 2), role: .callee)
        #expect(room.store.state.missedCall == .callMissed("Ann"))
        room.connecting(as: .callee)
        room.note(.room(.peerJoined(ann), []), presence)
        #expect(room.store.state.missedCall == .callMissed("Ann"))
        let summary = CallSummary(
            end: .peerLeft,
            message: "Ann left",
            peer: "Ann",
            attempt: 1,
            setup: CallSetup(),
            wasHeld: true
        )
        room.returned(.callEnded(summary), controls: CallControls())
        room.disconnected(RoomLoss(reason: .disconnected("during the call")), role: .callee)
        #expect(room.store.state.missedCall == nil)
    }
}
