import Basics
import CallCore
import SocketIOClient
import Testing

@testable import CallSignaling

@Suite("Room state machine")
struct RoomStateMachineTests {
    static let url = "http://h"

    static func machine() -> RoomStateMachine {
        RoomStateMachine(SignalingConfiguration(serverURL: url), username: "Ann")
    }

    /// Creates a state machine whose room has been joined once.
    static func joined() -> RoomStateMachine {
        var machine = machine()
        _ = machine.handle(connected)
        return machine
    }

    static let connected = RoomStateMachine.Input.socket(.connected(sid: "s", transport: "websocket"))
    static let dropped = RoomStateMachine.Input.socket(
        .disconnected(.transportClose, .closed(code: nil), retryIn: .milliseconds(1500))
    )
    static let roomState = RoomStateMachine.Input.socket(
        .event(name: "room_state", arguments: [["peers": []]], ack: nil)
    )

    static func failed(_ failure: SocketFailure) -> RoomStateMachine.Input {
        .socket(.connectFailed(failure, retryIn: .seconds(1)))
    }

    @Test("After connecting, the room is joined and the room state is awaited")
    func join() {
        var machine = Self.machine()
        #expect(machine.start().words == ["start server 0"])
        #expect(machine.handle(Self.connected).words == ["joined", "start roomState 1"])
        #expect(machine.handle(Self.roomState).words == ["roomState"])
        #expect(machine.handle(.deadline(.roomState, joining: 1)).words == [])
    }

    @Test("With failsAtOnce, the first refused connection ends the run, and otherwise it is retried")
    func failingAtOnce() {
        var configuration = SignalingConfiguration(serverURL: "http://example.org:3000")
        for failsAtOnce in [false, true] {
            configuration.failsAtOnce = failsAtOnce
            var machine = RoomStateMachine(configuration, username: "Ann")
            _ = machine.start()
            let effects = machine.handle(Self.failed(.refused("refused")))
            #expect((effects.failure?.word == "unreachable") == failsAtOnce)
        }
    }

    @Test("A room state that does not arrive in time is reported as missing")
    func silent() {
        var machine = Self.joined()
        #expect(machine.handle(.deadline(.roomState, joining: 1)).words == ["roomSilent"])
    }

    @Test("The room-state deadline of a lost or earlier connection is ignored")
    func staleSilence() {
        var machine = Self.joined()
        _ = machine.handle(Self.dropped)
        #expect(machine.handle(.deadline(.roomState, joining: 1)).words == [])
        _ = machine.handle(Self.connected)
        #expect(machine.handle(.deadline(.roomState, joining: 1)).words == [])
        #expect(machine.handle(.deadline(.roomState, joining: 2)).words == ["roomSilent"])
    }

    @Test(
        "Connecting to an unreachable server is retried until the server timeout, and the first failure is reported"
    )
    func unreachable() {
        var machine = Self.machine()
        #expect(machine.handle(Self.failed(.unreachable("refused"))).words == ["missed refused"])
        #expect(machine.handle(Self.failed(.unreachable("refused"))).words == [])
        let effects = machine.handle(.deadline(.server, joining: 0))
        #expect(effects.failure == .unreachable(url: Self.url, detail: "refused"))
        #expect(machine.isOver)
    }

    @Test("The server timeout does not interrupt the first attempt, whose failure states the reason")
    func overdue() {
        var machine = Self.machine()
        #expect(machine.handle(.deadline(.server, joining: 0)).words == [])
        let silent = SocketFailure.timedOut(.answer, after: .seconds(10))
        let failure = machine.handle(Self.failed(silent)).failure
        // A server that is stopped, or has much to do, may answer later.
        #expect(failure == .unreachable(url: Self.url, detail: silent.description))
    }

    @Test(
        "Connecting to a slow server is retried until the server timeout",
        arguments: [SocketFailure.Stage.connection, .answer, .handshake, .namespace]
    )
    func slow(_ stage: SocketFailure.Stage) {
        var machine = Self.machine()
        #expect(machine.handle(Self.failed(.timedOut(stage, after: .seconds(20)))).failure == nil)
        let failure = machine.handle(.deadline(.server, joining: 0)).failure
        #expect(failure?.word == "unreachable")
    }

    @Test("The server timeout no longer applies once the room has been joined")
    func serverDeadlineAfterJoining() {
        var machine = Self.joined()
        #expect(machine.handle(.deadline(.server, joining: 0)).words == [])
    }

    @Test(
        "A connection failure that a retry cannot fix ends the run at once",
        arguments: [
            (SocketFailure.notEngineIO("404", status: 404), "notSocketIO"),
            (.notEngineIO("garbage", status: nil), "notSocketIO"),
            (.notEngineIO("403", status: 403), "forbidden"),
            (.untrusted("expired"), "unreachable"),
        ]
    )
    func final(_ failure: SocketFailure, _ word: String) {
        var machine = Self.machine()
        #expect(machine.handle(Self.failed(failure)).failure?.word == word)
    }

    @Test("Connecting is retried if a proxy responds with HTTP status 502")
    func badGateway() {
        var machine = Self.machine()
        #expect(machine.handle(Self.failed(.notEngineIO("502", status: 502))).failure == nil)
    }

    @Test(
        "A refusal by the server ends the run with the failure that its message denotes",
        arguments: [
            ("room_full", SignalingFailure.roomFull), ("role_taken", .roleTaken),
            ("unauthorized", .unauthorized("unauthorized")),
            ("invalid token", .unauthorized("invalid token")),
            ("username: too long", .refused("username: too long")),
        ]
    )
    func refused(_ message: String, _ failure: SignalingFailure) {
        var machine = Self.machine()
        #expect(machine.handle(.socket(.refused(message: message, data: nil))).failure == failure)
    }

    @Test("The refusal of a token is reported with the server's reason")
    func refusedToken() {
        var machine = Self.machine()
        let data: JSON = ["reason": "the token has expired", "claim": "exp"]
        let refusal = machine.handle(.socket(.refused(message: "not_authorized", data: data)))
        #expect(refusal.failure == .unauthorized("the token has expired"))
    }

    @Test(
        "Connecting to a server that is shutting down is retried after the time that it states",
        arguments: [(5, 5), (nil, 1), (-1, 1), (1_000_000, 60)] as [(Int?, Int)]
    )
    func draining(seconds: Int?, wait: Int) {
        var machine = Self.machine()
        let data = seconds.map { seconds -> JSON in ["retryAfter": .int(seconds)] }
        let effects = machine.handle(.socket(.refused(message: "server_draining", data: data)))
        guard case .startDeadline(.reconnection, joining: 0, after: .seconds(wait)) = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(machine.handle(.deadline(.reconnection, joining: 0)).words == ["connect"])
        let failure = SignalingFailure.refused("the server is shutting down")
        #expect(machine.handle(.deadline(.server, joining: 0)).failure == failure)
    }

    @Test("A lost connection is reported, and the room is joined again")
    func reconnection() {
        var machine = Self.joined()
        #expect(machine.handle(Self.dropped).words == ["disconnected transport close 1.5"])
        #expect(machine.handle(Self.failed(.unreachable("refused"))).words == [])
        #expect(machine.handle(Self.connected).words == ["joined", "start roomState 2"])
    }

    @Test("A timed-out connection counts as a network failure until a server responds", arguments: answers)
    func silentLoss(_ answer: SocketEvent, _ words: [String]) {
        var machine = Self.joined()
        let silence = SocketFailure.silent(.seconds(2))
        let lost = machine.handle(.socket(.disconnected(.pingTimeout, silence, retryIn: .zero)))
        #expect(lost.words == ["disconnected ping timeout 0.0 silent"])
        #expect(machine.handle(Self.failed(.unreachable("no route"))).words == [])
        #expect(machine.handle(.socket(answer)).words == words)
        // Another refusal is not reported.
        #expect(machine.handle(Self.failed(.refused("refused"))).words == [])
        #expect(machine.handle(Self.connected).words == ["joined", "start roomState 2"])
        #expect(machine.handle(Self.dropped).words == ["disconnected transport close 1.5"])
    }

    private static let answers: [(SocketEvent, [String])] = [
        (.connectFailed(.refused("refused"), retryIn: .seconds(1)), ["disconnected refused 1.0"]),
        (
            .refused(message: "server_draining", data: ["retryAfter": 3]),
            ["disconnected the server is shutting down 3.0", "start reconnection 1"]
        ),
    ]

    @Test("An oversized or malformed message ends the run")
    func badEvent() {
        for failure in [SocketFailure.messageTooLarge(limit: 7), .malformed("x")] {
            var machine = Self.joined()
            let reason: DisconnectReason = failure == .malformed("x") ? .parseError : .transportError
            let effects = machine.handle(.socket(.disconnected(reason, failure, retryIn: .seconds(1))))
            #expect(effects.failure?.word == "badEvent")
        }
    }

    @Test("The room is joined again after the server has disconnected us")
    func sentAway() {
        var machine = Self.joined()
        let effects = machine.handle(.socket(.disconnected(.serverDisconnect, nil, retryIn: nil)))
        #expect(
            effects.words
                == ["disconnected io server disconnect 2.0", "start reconnection 1"]
        )
        #expect(machine.handle(.deadline(.reconnection, joining: 1)).words == ["connect"])
    }

    @Test("Nothing is reported after a final failure")
    func over() {
        var machine = Self.machine()
        _ = machine.handle(.socket(.refused(message: "room_full", data: nil)))
        #expect(machine.handle(Self.connected).words == [])
        #expect(machine.handle(.deadline(.server, joining: 0)).words == [])
    }

    @Test("An unknown event is ignored")
    func unknown() {
        var machine = Self.joined()
        let effects = machine.handle(.socket(.event(name: "chat", arguments: ["hi"], ack: nil)))
        #expect(effects.words == ["ignore chat"])
    }
}

extension [RoomStateMachine.Effect] {
    var words: [String] { map(\.word) }

    var failure: SignalingFailure? {
        guard case .report(.failed(let failure)) = first, count == 1 else { return nil }
        return failure
    }
}

extension RoomStateMachine.Effect {
    fileprivate var word: String {
        switch self {
        case .report(.disconnected(let reason, let wait, let isSilent)):
            "disconnected \(reason) \(wait.map { "\($0)" } ?? "never")" + (isSilent ? " silent" : "")
        case .report(let event): String("\(event)".prefix { $0 != "(" })
        case .startDeadline(let deadline, let joining, _): "start \(deadline) \(joining)"
        case .connect: "connect"
        case .tellMiss(let reason): "missed \(reason)"
        case .wrap(let isWrapping): "wrap \(isWrapping)"
        case .acknowledge: "acknowledge"
        case .ignore(let event): "ignore \(event)"
        }
    }
}

extension SignalingFailure {
    fileprivate var word: String { String("\(self)".prefix { $0 != "(" }) }
}
