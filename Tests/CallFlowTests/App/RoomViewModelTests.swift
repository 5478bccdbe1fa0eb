import CallCore
import Testing

@testable import CallFlow

@Suite("The room's view model")
@MainActor
struct RoomViewModelTests {
    @Test("The reason for a loss stays until the room is joined, but not where it was not to be tried again")
    func earlierLoss() throws {
        let identity = try Identity(username: Username("Ann"), room: RoomID(1))
        let room = RoomViewModel(RoomState(identity: identity, role: .caller), outlet: CommandRouter())
        let loss = RoomLoss(reason: .disconnected("transport close"), retryIn: 2)
        room.disconnected(loss, role: .caller)
        room.connecting(as: .caller)
        #expect(room.store.state.earlierLoss == loss)
        room.disconnected(RoomLoss(reason: .failed(Diagnosis(SignalingFailure.roleTaken))), role: .caller)
        room.connecting(as: .callee)
        #expect(room.store.state.earlierLoss == nil)
    }
}
