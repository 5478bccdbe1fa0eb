import CallCore
import NIOCore
import NIOEmbedded
import Testing

@testable import SignalingServer

@Suite struct RoomGatesTests {
    private let loop = EmbeddedEventLoop()
    private let room: RoomID

    init() throws { room = try RoomID("1") }

    @Test("A change to a room waits until the previous change has finished")
    func oneChangeAtATime() {
        let gates = RoomGates(loop)
        var (order, leaving): ([Int], [() -> Void]) = ([], [])
        for number in 0..<3 {
            gates.enter(room) { leave in
                order.append(number)
                leaving.append(leave)
            }
        }
        loop.run()
        #expect(order == [0])
        leaving[0]()
        loop.run()
        #expect(order == [0, 1])
        leaving[1]()
        leaving.removeAll()
    }

    @Test("Each room has its own queue of changes")
    func gatePerRoom() throws {
        let gates = RoomGates(loop)
        var entered = 0
        gates.enter(room) { _ in entered += 1 }
        gates.enter(try RoomID("2")) { _ in entered += 1 }
        #expect(entered == 2)
    }

    @Test("A queue of 20,000 changes to a room completes, and the room is unlocked afterwards")
    func longQueue() {
        let gates = RoomGates(loop)
        var (passed, freed, first): (Int, [RoomID], (() -> Void)?) = (0, [], nil)
        gates.onEmpty = { freed.append($0) }
        gates.enter(room) { first = $0 }
        for _ in 0..<20_000 {
            gates.enter(room) { leave in
                passed += 1
                leave()
            }
        }
        first?()
        loop.run()
        #expect(passed == 20_000)
        #expect(freed == [room])
        #expect(!gates.isHeld(room))
    }
}
