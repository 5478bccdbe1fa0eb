import Basics
import CallCore
import SocketIOClient
import Testing

@testable import CallSignaling

/// The rules for third-party signaling servers.
@Suite("Room state machine, third-party servers")
struct ForeignServerTests {
    @Test(
        "The data of a refusal by the server is reported on one line",
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

    @Test("HTTP status 401 or 403 is reported as denied access", arguments: [401, 403])
    func notLetIn(status: Int) {
        var machine = RoomStateMachineTests.machine()
        let failure = machine.handle(
            RoomStateMachineTests.failed(.notEngineIO("HTTP status \(status)", status: status))
        ).failure
        #expect(failure == .forbidden("HTTP status \(status)"))
        #expect(failure?.sentence == "the server denies access: HTTP status \(status)")
    }

    @Test("A server error of a proxy is reported as an unreachable server, not as one without Socket.IO")
    func badGateway() {
        let detail = "HTTP status 503 Service Unavailable"
        let failure = SignalingFailure(.notEngineIO(detail, status: 503), url: "http://ann.example")
        #expect(failure == .unreachable(url: "http://ann.example", detail: detail))
    }

    @Test("An offer that is reduced to the size limit again is not reported again")
    func reduced() {
        var machine = RoomStateMachineTests.joined()
        let input = RoomStateMachine.Input.oversize(
            .init(name: "offer", bytes: 11, limit: 10, isReduced: true)
        )
        #expect(machine.handle(input).words == ["offerReduced"])
        #expect(machine.handle(input).words == [])
    }

    @Test("A message that is too large for the server ends the run")
    func tooLarge() {
        let reported = "the server accepts messages of at most 10 bytes, and our offer has 11"
        for input in [
            RoomStateMachine.Input.oversize(.init(name: "offer", bytes: 11, limit: 10, isReduced: false)),
            .socket(.undeliverable(name: "offer", bytes: 11, limit: 10)),
        ] {
            var machine = RoomStateMachineTests.joined()
            #expect(machine.handle(input).failure == .tooLarge(reported))
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

    @Test("The reconnection delay to a server that keeps disconnecting us grows until a connection lasts")
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

    @Test("A deliberate rejoin is reported as a rejoin and not as a loss")
    func rejoining() {
        var machine = RoomStateMachineTests.joined()
        #expect(machine.handle(Self.left).words == ["rejoining"])
        #expect(machine.handle(RoomStateMachineTests.connected).words == ["joined", "start roomState 2"])
        #expect(machine.handle(RoomStateMachineTests.failed(.refused("refused"))).words == [])
    }

    @Test("A failed rejoin is reported as a lost connection", arguments: [true, false])
    func rejoiningFails(isSilent: Bool) {
        var machine = RoomStateMachineTests.joined()
        _ = machine.handle(Self.left)
        let failure = isSilent ? SocketFailure.unreachable("no route") : .refused("refused")
        let words = isSilent ? "disconnected no route 1.0 silent" : "disconnected refused 1.0"
        #expect(machine.handle(RoomStateMachineTests.failed(failure)).words == [words])
        #expect(machine.handle(RoomStateMachineTests.failed(failure)).words == [])
    }

    @Test("Messages are wrapped in answers for a peer that supports it, until a participant list arrives")
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

    @Test("A decline received inside an answer enables wrapping, even if no description contained `wraps`")
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
