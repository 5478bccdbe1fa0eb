import CallCore
import SocketIO
import SocketIOClient
import Testing

@testable import CallSignaling

/// Rules for servers that are not ours.
@Suite("Room machine, foreign servers")
struct ForeignServerTests {
    @Test(
        "What a refusal says beside its message is told, in one line",
        arguments: [
            (#""try later""#, "full: try later"),
            (#"{"content":"try later","wait":5}"#, "full: content: try later, wait: 5"),
            (#"{"field":"full"}"#, "full"), ("null", "full"), (#"{"a":{"b":"c\u001b"}}"#, "full: a: b: c"),
        ]
    )
    func refusalData(_ data: String, _ text: String) throws {
        var machine = RoomStateMachineTests.machine()
        let data = try JSON(parsing: data.utf8)
        #expect(machine.handle(.socket(.refused(message: "full", data: data))).failure == .refused(text))
    }

    @Test("A client that is not let in is told by the server's own words", arguments: [401, 403])
    func notLetIn(status: Int) {
        var machine = RoomStateMachineTests.machine()
        let failure = machine.handle(
            RoomStateMachineTests.failed(.notEngineIO("HTTP status \(status)", status: status))
        ).failure
        #expect(failure == .forbidden("HTTP status \(status)"))
        #expect(failure?.sentence == "the server does not let us in: HTTP status \(status)")
    }

    @Test("An offer that was made smaller is told of once")
    func reduced() {
        var machine = RoomStateMachineTests.joined()
        let input = RoomStateMachine.Input.oversize(
            .init(name: "offer", bytes: 11, limit: 10, isReduced: true)
        )
        #expect(machine.handle(input).words == ["offerReduced"])
        #expect(machine.handle(input).words == [])
    }

    @Test("A server that takes no message of our size ends the run, and its limit is told")
    func tooLarge() {
        let told = "the server takes messages of 10 bytes at most, and our offer has 11"
        for input in [
            RoomStateMachine.Input.oversize(.init(name: "offer", bytes: 11, limit: 10, isReduced: false)),
            .socket(.undeliverable(name: "offer", bytes: 11, limit: 10)),
        ] {
            var machine = RoomStateMachineTests.joined()
            #expect(machine.handle(input).failure == .tooLarge(told))
        }
        for failure in [SocketFailure.payloadRefused(bytes: 11), .closed(code: 1009)] {
            var machine = RoomStateMachineTests.joined()
            let lost = SocketEvent.disconnected(.transportClose, failure, retryIn: .seconds(1))
            #expect(machine.handle(.socket(lost)).failure == .tooLarge(failure.description))
            var again = RoomStateMachineTests.joined()
            _ = again.handle(RoomStateMachineTests.dropped)
            #expect(
                again.handle(RoomStateMachineTests.failed(failure)).failure == .tooLarge(failure.description)
            )
        }
    }

    @Test("A server that sends us away again and again is come back to ever later, until it has kept us")
    func sentAwayAgain() {
        var machine = RoomStateMachineTests.joined()
        func delay() -> Duration? {
            for case .startDeadline(.reconnection, _, let delay) in machine.handle(
                .socket(.disconnected(.serverDisconnect, nil, retryIn: nil))
            ) { return delay }
            return nil
        }
        for (joining, seconds) in zip(1..., [2, 4, 8, 16, 30, 30]) {
            #expect(delay() == .seconds(seconds))
            _ = machine.handle(.deadline(.stability, joining: joining))
            #expect(
                machine.handle(RoomStateMachineTests.connected).words.contains(
                    "start stability \(joining + 1)"
                )
            )
        }
        _ = machine.handle(.deadline(.stability, joining: 7))
        #expect(delay() == .seconds(2))
    }

    private static let left = RoomStateMachine.Input.socket(
        .disconnected(.clientDisconnect, nil, retryIn: nil)
    )

    @Test("A rejoining on purpose is told as such, and has no limit")
    func rejoining() {
        var machine = RoomStateMachineTests.joined()
        #expect(machine.handle(Self.left).words == ["rejoining"])
        #expect(machine.handle(RoomStateMachineTests.connected).words == ["joined", "start roomState 2"])
        #expect(machine.handle(RoomStateMachineTests.failed(.refused("refused"))).words == [])
    }

    @Test("A room that cannot be rejoined is lost", arguments: [true, false])
    func rejoiningFails(isSilent: Bool) {
        var machine = RoomStateMachineTests.joined()
        _ = machine.handle(Self.left)
        let failure = isSilent ? SocketFailure.unreachable("no route") : .refused("refused")
        let words = isSilent ? "disconnected no route 1.0 silent" : "disconnected refused 1.0"
        #expect(machine.handle(RoomStateMachineTests.failed(failure)).words == [words])
        #expect(machine.handle(RoomStateMachineTests.failed(failure)).words == [])
    }

    @Test("Messages are wrapped for a peer that reads them, until the server tells who is in the room")
    func wrapping() {
        var machine = RoomStateMachineTests.joined()
        let offer: JSON = ["sdp": "v=0", "wraps": true]
        #expect(
            machine.handle(.socket(.event(name: "offer", arguments: [offer], ack: nil))).words
                == ["wrap true", "message"]
        )
        #expect(machine.handle(RoomStateMachineTests.roomState).words == ["wrap false", "roomState"])
        #expect(machine.handle(.deadline(.roomState, joining: 1)).words == [])
    }

    @Test("A caller answers a wrapped decline in the same way, without a description that asks for it")
    func wrappedDecline() {
        var machine = RoomStateMachineTests.joined()
        _ = machine.handle(.deadline(.roomState, joining: 1))
        let hangup: JSON = ["event": "hangup", "reason": "declined"]
        #expect(
            machine.handle(.socket(.event(name: "answer", arguments: [hangup], ack: nil))).words
                == ["wrap true", "message"]
        )
    }
}
