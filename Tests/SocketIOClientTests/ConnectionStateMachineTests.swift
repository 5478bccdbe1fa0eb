import Basics
import SocketIO
import Testing

@testable import SocketIOClient

@Suite("Connection state machine")
struct ConnectionStateMachineTests {
    @Test("A connection attempt opens one transport and has one time limit for all stages")
    func attempt() throws {
        var machine = try ConnectionStateMachine.scripted()
        #expect(
            machine.handle(.connect, at: .zero) == [
                .report(.connecting(attempt: 1)), .open(life: 1, over: .websocket),
                .startDeadline(.connect, life: 1, after: .seconds(20)),
            ]
        )
        #expect(machine.handle(.opened(1), at: .zero) == [])
        let effects = machine.handle(.text(handshake(), 1), at: .zero)
        #expect(
            effects == [.send([.message("0")]), .startDeadline(.heartbeat, life: 1, after: .seconds(45))]
        )
        #expect(machine.handle(.text(#"40{"sid":"s"}"#, 1), at: .zero) == [.report(.connected(sid: "s"))])
        #expect(machine.handle(.deadline(.connect, life: 1), at: .seconds(20)) == [])
    }

    @Test("An attempt that times out reports the stage that it had reached")
    func stages() throws {
        let inputs: [ConnectionInput] = [.transport(.requested, life: 1), .opened(1), .text(handshake(), 1)]
        let stages: [SocketFailure.Stage] = [.connection, .answer, .handshake, .namespace]
        for (count, stage) in stages.enumerated() {
            var machine = try ConnectionStateMachine.scripted()
            for input in [.connect] + inputs.prefix(count) { _ = machine.handle(input, at: .zero) }
            #expect(
                machine.handle(.deadline(.connect, life: 1), at: .seconds(20)) == [
                    .abandon,
                    .report(.connectFailed(.timedOut(stage, after: .seconds(20)), retryIn: .seconds(1))),
                    .startDeadline(.retry, life: 1, after: .seconds(1)),
                ]
            )
        }
    }

    @Test("Only the server's ping extends the heartbeat deadline, and at most one deadline runs")
    func heartbeat() throws {
        var machine = try ConnectionStateMachine.joined()
        #expect(machine.handle(.text("2", 1), at: .seconds(25)) == [.send([.pong("")])])
        #expect(machine.handle(.text(#"42["noise"]"#, 1), at: .seconds(40)).count == 1)
        #expect(machine.handle(.text("6", 1), at: .seconds(41)) == [])
        #expect(
            machine.handle(.deadline(.heartbeat, life: 1), at: .seconds(45))
                == [.startDeadline(.heartbeat, life: 1, after: .seconds(25))]
        )
        let effects = machine.handle(.deadline(.heartbeat, life: 1), at: .seconds(70))
        #expect(
            effects.contains(
                .report(.disconnected(.pingTimeout, .silent(.seconds(45)), retryIn: .zero))
            )
        )
    }

    @Test("The waits between attempts grow, and start from the minimum after a successful connection")
    func backoff() throws {
        var machine = try ConnectionStateMachine.scripted()
        _ = machine.handle(.connect, at: .zero)
        for (life, wait) in zip(1..., [1, 2, 4, 5, 5]) {
            #expect(
                machine.handle(.lost(life), at: .zero).last
                    == .startDeadline(.retry, life: life, after: .seconds(wait))
            )
            let effects = machine.handle(.deadline(.retry, life: life), at: .zero)
            #expect(effects.first == .report(.connecting(attempt: life + 1)))
        }
        for input in [.opened(6), .text(handshake(), 6), .text(#"40{"sid":"s"}"#, 6)] as [ConnectionInput] {
            _ = machine.handle(input, at: .zero)
        }
        #expect(
            machine.handle(.lost(6), at: .seconds(2)).last
                == .startDeadline(.retry, life: 6, after: .seconds(1))
        )
        let effects = machine.handle(.deadline(.retry, life: 6), at: .seconds(2))
        #expect(effects.first == .report(.connecting(attempt: 1)))
    }

    @Test("Events of an earlier transport and expirations of its deadlines are ignored")
    func stale() throws {
        var machine = try ConnectionStateMachine.joined()
        _ = machine.handle(.lost(1), at: .zero)
        _ = machine.handle(.deadline(.retry, life: 1), at: .zero)
        let phase = machine.phase
        for input in [
            .opened(1), .text(handshake(), 1), .lost(1), .deadline(.connect, life: 1),
            .deadline(.retry, life: 1),
            .deadline(.heartbeat, life: 1), .deadline(.closing, life: 1),
        ] as [ConnectionInput] {
            #expect(machine.handle(input, at: .zero) == [])
        }
        #expect(machine.phase == phase)
    }

    @Test("A connection that the server does not close within 1 s after DISCONNECT is abandoned")
    func closingTimeout() throws {
        var machine = try ConnectionStateMachine.joined()
        #expect(
            machine.handle(.finish, at: .zero) == [
                .send([.message("1"), .close]), .close,
                .startDeadline(.closing, life: 1, after: .seconds(1)), .failAcks(except: []),
                .report(.disconnected(.clientDisconnect, nil, retryIn: nil)),
            ]
        )
        #expect(machine.handle(.deadline(.closing, life: 1), at: .seconds(1)) == [.abandon, .finish])
    }

    @Test("Finishing while not connected takes effect at once")
    func finishEarly() throws {
        var idle = try ConnectionStateMachine.scripted()
        #expect(idle.handle(.finish, at: .zero) == [.finish])
        #expect(idle.handle(.connect, at: .zero) == [])
        var opening = try ConnectionStateMachine.scripted()
        _ = opening.handle(.connect, at: .zero)
        #expect(opening.handle(.finish, at: .zero) == [.abandon, .finish])
        var waiting = try ConnectionStateMachine.joined()
        _ = waiting.handle(.lost(1), at: .zero)
        #expect(waiting.handle(.finish, at: .zero) == [.finish])
    }

    @Test("connect() during a disconnection reconnects once the transport has closed")
    func connectWhileLeaving() throws {
        var machine = try ConnectionStateMachine.joined()
        _ = machine.handle(.disconnect, at: .zero)
        #expect(machine.handle(.connect, at: .zero) == [])
        #expect(
            machine.handle(.lost(1), at: .zero) == [
                .abandon, .report(.connecting(attempt: 1)), .open(life: 2, over: .websocket),
                .startDeadline(.connect, life: 2, after: .seconds(20)),
            ]
        )
    }

    @Test("Events that arrive before the response to CONNECT are reported after it")
    func early() throws {
        var machine = try ConnectionStateMachine.scripted()
        for input in [.connect, .opened(1), .text(handshake(), 1)] as [ConnectionInput] {
            _ = machine.handle(input, at: .zero)
        }
        #expect(machine.handle(.text(#"42["early"]"#, 1), at: .zero) == [])
        #expect(
            machine.handle(.text(#"40{"sid":"s"}"#, 1), at: .zero) == [
                .report(.connected(sid: "s")),
                .report(.event(name: "early", arguments: [], ackID: nil, life: 1)),
            ]
        )
    }

    @Test("The number of events buffered before the response to CONNECT is bounded")
    func earlyFlood() throws {
        var machine = try ConnectionStateMachine.scripted()
        for input in [.connect, .opened(1), .text(handshake(), 1)] as [ConnectionInput] {
            _ = machine.handle(input, at: .zero)
        }
        for _ in 0..<256 { #expect(machine.handle(.text(#"42["early"]"#, 1), at: .zero) == []) }
        #expect(machine.handle(.text(#"42["early"]"#, 1), at: .zero).first == .abandon)
    }

    @Test("A pending acknowledgement survives a lost connection if its event has not been sent")
    func waitingAcks() throws {
        var machine = try ConnectionStateMachine.joined()
        #expect(try machine.emit("sent", [], ackID: 0) == [.send([.message(#"20["sent"]"#)])])
        let lost = machine.handle(.lost(1), at: .zero)
        #expect(lost.contains(.failAcks(except: [])))
        #expect(try machine.emit("kept", [], ackID: 1) == [])
        _ = machine.handle(.deadline(.retry, life: 1), at: .zero)
        #expect(machine.handle(.lost(2), at: .zero).contains(.failAcks(except: [])) == false)
        machine.withdraw(ackID: 1)
        #expect(machine.waitingAcks == [])
    }

    @Test("An event with too many attachments is rejected")
    func attachments() throws {
        var machine = try ConnectionStateMachine.joined()
        let bytes = JSON.binary([1])
        #expect(throws: SocketError.tooManyAttachments) {
            try machine.emit("a", [JSON](repeating: bytes, count: 11))
        }
        #expect(try machine.emit("a", [JSON](repeating: bytes, count: 10)).count == 1)
    }

    /// Creates a state machine that waits for the response to CONNECT.
    ///
    /// The server accepts messages of at most `maxPayload` bytes.
    private static func joining(maxPayload: Int) throws -> ConnectionStateMachine {
        var machine = try ConnectionStateMachine.scripted()
        for input in [.connect, .opened(1), .text(handshake(maxPayload: maxPayload), 1)] as [ConnectionInput]
        {
            _ = machine.handle(input, at: .zero)
        }
        return machine
    }

    @Test("An event above the server's size limit is rejected, even over WebSocket")
    func tooLarge() throws {
        var machine = try Self.joining(maxPayload: 11)
        _ = machine.handle(.text(#"40{"sid":"s"}"#, 1), at: .zero)
        #expect(try machine.emit("12345", []) == [.send([.message(#"2["12345"]"#)])])
        #expect(throws: SocketError.tooLarge(bytes: 12, limit: 11)) { try machine.emit("123456", []) }
        #expect(throws: SocketError.tooLarge(bytes: 40, limit: 11)) {
            try machine.emit("a", [.binary([UInt8](repeating: 0, count: 40))])
        }
    }

    @Test("Buffered events above the server's size limit are reported, and the others are sent")
    func undeliverable() throws {
        var machine = try ConnectionStateMachine.scripted()
        _ = machine.handle(.connect, at: .zero)
        for name in ["small", "large large"] { #expect(try machine.emit(name, []) == []) }
        for input in [.opened(1), .text(handshake(maxPayload: 11), 1)] as [ConnectionInput] {
            _ = machine.handle(input, at: .zero)
        }
        #expect(
            machine.handle(.text(#"40{"sid":"s"}"#, 1), at: .zero) == [
                .report(.connected(sid: "s")),
                .report(.undeliverable(name: "large large", bytes: 17, limit: 11)),
                .send([.message(#"2["small"]"#)]),
            ]
        )
    }
}
