import Basics
import CallCore
import Testing

@testable import CallFlow

@Suite("Room view model")
@MainActor
struct RoomViewModelTests {
    @Test("While connecting, the previous connection loss is shown if it led to an automatic retry")
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
}
