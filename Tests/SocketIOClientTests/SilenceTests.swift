import SocketIO
import Testing

@testable import SocketIOClient

@Suite("Connection state machine with silent servers")
struct SilenceTests {
    private static let anew: [ConnectionEffect] = [
        .report(.connecting(attempt: 1)), .open(life: 2, over: .websocket),
        .startDeadline(.connect, life: 2, after: .seconds(2)),
    ]

    private static func lost(_ reason: DisconnectReason, _ failure: SocketFailure) -> [ConnectionEffect] {
        [.abandon, .failAcks(except: []), .report(.disconnected(reason, failure, retryIn: .zero))]
    }

    @Test("A liveness check sends a ping, and a second check before the reply sends none")
    func doubt() throws {
        var machine = try ConnectionStateMachine.joined()
        #expect(
            machine.handle(.doubt, at: .zero) == [
                .ping, .startDeadline(.signOfLife, life: 1, after: .seconds(2)),
            ]
        )
        #expect(machine.handle(.doubt, at: .seconds(1)) == [])
    }

    @Test("The client reconnects at once if the server does not answer a liveness check")
    func silence() throws {
        var machine = try ConnectionStateMachine.joined()
        _ = machine.handle(.doubt, at: .zero)
        #expect(
            machine.handle(.deadline(.signOfLife, life: 1), at: .seconds(2))
                == Self.lost(.pingTimeout, .silent(.seconds(2))) + Self.anew
        )
    }

    @Test(
        "Any message from the server answers a liveness check",
        arguments: [
            .transport(.pong, life: 1), .text("2", 1), .text("6", 1), .text(#"42["a"]"#, 1),
        ] as [ConnectionInput]
    )
    func sign(_ input: ConnectionInput) throws {
        var machine = try ConnectionStateMachine.joined()
        _ = machine.handle(.doubt, at: .zero)
        _ = machine.handle(input, at: .seconds(1))
        #expect(machine.handle(.deadline(.signOfLife, life: 1), at: .seconds(2)) == [])
        #expect(machine.phase == .connected)
    }

    @Test("A liveness check that follows an answered one has its own deadline")
    func secondDoubt() throws {
        var machine = try ConnectionStateMachine.joined()
        _ = machine.handle(.doubt, at: .zero)
        _ = machine.handle(.transport(.pong, life: 1), at: .seconds(1))
        #expect(machine.handle(.doubt, at: .seconds(1)).first == .ping)
        #expect(machine.handle(.deadline(.signOfLife, life: 1), at: .seconds(2)) == [])
        #expect(machine.handle(.deadline(.signOfLife, life: 1), at: .seconds(3)).first == .abandon)
    }

    @Test("No liveness check is sent over polling or without a connection")
    func notAsked() throws {
        var polling = try ConnectionStateMachine.joined(over: .polling)
        #expect(polling.handle(.doubt, at: .zero) == [])
        var idle = try ConnectionStateMachine.scripted()
        #expect(idle.handle(.doubt, at: .zero) == [])
        _ = idle.handle(.connect, at: .zero)
        #expect(idle.handle(.doubt, at: .zero) == [])
    }

    @Test(
        "A connection lost without a close by the server starts a fast reconnection",
        arguments: [
            SocketFailure.unreachable("no route"), .silent(.seconds(45)), .addressLost("192.0.2.1"),
            .timedOut(.connection, after: .seconds(2)),
        ]
    )
    func silentLoss(_ failure: SocketFailure) throws {
        var machine = try ConnectionStateMachine.joined()
        #expect(
            machine.handle(.failed(failure, 1), at: .zero)
                == Self.lost(.transportClose, failure) + Self.anew
        )
    }

    @Test("During a fast reconnection, attempts time out after 2 s and start 0.5 s after the last failure")
    func fastReconnection() throws {
        var machine = try ConnectionStateMachine.joined()
        _ = machine.handle(.failed(.silent(.seconds(2)), 1), at: .zero)
        for life in 2...9 {
            let start = Duration.seconds(Double(life - 2) * 2.5)
            let failure = SocketFailure.timedOut(.connection, after: .seconds(2))
            #expect(
                machine.handle(.deadline(.connect, life: life), at: start + .seconds(2)) == [
                    .abandon, .report(.connectFailed(failure, retryIn: .milliseconds(500))),
                    .startDeadline(.retry, life: life, after: .milliseconds(500)),
                ]
            )
            let next = machine.handle(.deadline(.retry, life: life), at: start + .milliseconds(2500))
            #expect(next.last == .startDeadline(.connect, life: life + 1, after: .seconds(2)))
        }
    }

    @Test("During a fast reconnection, an attempt has the normal limit of 20 s once TCP is connected")
    func reached() throws {
        var machine = try ConnectionStateMachine.joined()
        _ = machine.handle(.failed(.silent(.seconds(2)), 1), at: .zero)
        #expect(machine.handle(.transport(.reached, life: 2), at: .seconds(1)) == [])
        #expect(
            machine.handle(.deadline(.connect, life: 2), at: .seconds(2)) == [
                .startDeadline(.connect, life: 2, after: .seconds(18))
            ]
        )
        _ = machine.handle(.transport(.requested, life: 2), at: .seconds(3))
        #expect(
            machine.handle(.deadline(.connect, life: 2), at: .seconds(20)).contains(
                .report(.connectFailed(.timedOut(.answer, after: .seconds(20)), retryIn: .seconds(1)))
            )
        )
    }

    @Test(
        "Any response from the server or its host ends a fast reconnection",
        arguments: [
            SocketFailure.refused("Connection refused"), .notEngineIO("HTTP status 404", status: 404),
            .closed(code: nil), .untrusted("expired"),
        ]
    )
    func answered(_ failure: SocketFailure) throws {
        var machine = try ConnectionStateMachine.joined(over: .websocket)
        _ = machine.handle(.failed(.silent(.seconds(2)), 1), at: .zero)
        #expect(
            machine.handle(.failed(failure, 2), at: .zero).last
                == .startDeadline(.retry, life: 2, after: .seconds(1))
        )
        let next = machine.handle(.deadline(.retry, life: 2), at: .seconds(1))
        #expect(next.last == .startDeadline(.connect, life: 3, after: .seconds(20)))
    }

    @Test("A successful connection ends a fast reconnection")
    func connected() throws {
        var machine = try ConnectionStateMachine.joined()
        _ = machine.handle(.failed(.silent(.seconds(2)), 1), at: .zero)
        machine.join(at: .seconds(1))
        #expect(
            machine.handle(.lost(2), at: .seconds(2)).last
                == .startDeadline(.retry, life: 2, after: .seconds(1))
        )
    }

    @Test("A connection whose local address is gone is replaced at once")
    func addressLost() throws {
        var machine = try ConnectionStateMachine.joined()
        #expect(
            machine.handle(.networkChanged(lostAddress: "192.0.2.1"), at: .zero)
                == Self.lost(.transportClose, .addressLost("192.0.2.1")) + Self.anew
        )
    }

    @Test("A network change starts a liveness check if the local address remains")
    func addressStays() throws {
        var machine = try ConnectionStateMachine.joined()
        #expect(machine.handle(.networkChanged(lostAddress: nil), at: .zero).first == .ping)
    }

    @Test("A network change ends the wait for an unreachable server, at most once every 250 ms")
    func changeWhileWaiting() throws {
        var machine = try ConnectionStateMachine.scripted()
        _ = machine.handle(.connect, at: .zero)
        _ = machine.handle(.failed(.unreachable("no route"), 1), at: .zero)
        #expect(machine.handle(.networkChanged(lostAddress: nil), at: .milliseconds(200)) == [])
        #expect(
            machine.handle(.networkChanged(lostAddress: nil), at: .milliseconds(250)) == [
                .report(.connecting(attempt: 2)), .open(life: 2, over: .websocket),
                .startDeadline(.connect, life: 2, after: .seconds(20)),
            ]
        )
        #expect(machine.handle(.deadline(.retry, life: 1), at: .seconds(1)) == [])
    }

    @Test("A network change has no effect while waiting to reconnect after a close by the server")
    func changeWhileRefused() throws {
        var machine = try ConnectionStateMachine.joined()
        _ = machine.handle(.lost(1), at: .seconds(5))
        #expect(machine.handle(.networkChanged(lostAddress: nil), at: .seconds(6)) == [])
    }

    @Test("A network change restarts an attempt only if its local address is gone")
    func changeWhileConnecting() throws {
        for count in 0...2 {
            var machine = try ConnectionStateMachine.scripted()
            for input in ([.connect, .opened(1), .text(handshake(), 1)] as [ConnectionInput]).prefix(
                count + 1
            ) {
                _ = machine.handle(input, at: .zero)
            }
            #expect(machine.handle(.networkChanged(lostAddress: nil), at: .seconds(1)) == [])
            #expect(
                machine.handle(.networkChanged(lostAddress: "192.0.2.1"), at: .seconds(1)) == [
                    .abandon, .open(life: 2, over: .websocket),
                    .startDeadline(.connect, life: 2, after: .seconds(20)),
                ]
            )
        }
    }

    @Test("A network change has no effect on a client that is disconnected or disconnecting")
    func changeWhileIdle() throws {
        var idle = try ConnectionStateMachine.scripted()
        #expect(idle.handle(.networkChanged(lostAddress: nil), at: .zero) == [])
        var leaving = try ConnectionStateMachine.joined()
        _ = leaving.handle(.disconnect, at: .zero)
        #expect(leaving.handle(.networkChanged(lostAddress: "192.0.2.1"), at: .zero) == [])
    }

    @Test("The waits grow if the server breaks each new connection right after it was established")
    func breaksAtOnce() throws {
        var machine = try ConnectionStateMachine.joined()
        var waits: [Duration] = []
        for life in 1...5 {
            let now = Duration.milliseconds(10 * life)
            let effects = machine.handle(.failed(.broken("reset"), life), at: now)
            for case .startDeadline(.retry, _, let wait) in effects { waits.append(wait) }
            _ = machine.handle(.deadline(.retry, life: life), at: now)
            machine.join(at: now)
        }
        #expect(waits == [.seconds(1), .seconds(2), .seconds(4), .seconds(5)])
    }

    @Test("A fast reconnection ends after a minute, and the normal waits apply")
    func timeout() throws {
        var machine = try ConnectionStateMachine.joined()
        _ = machine.handle(.failed(.silent(.seconds(45)), 1), at: .seconds(100))
        let early = machine.handle(.failed(.unreachable("no route"), 2), at: .seconds(101))
        #expect(early.last == .startDeadline(.retry, life: 2, after: .milliseconds(500)))
        _ = machine.handle(.deadline(.retry, life: 2), at: .seconds(102))
        let late = machine.handle(.failed(.unreachable("no route"), 3), at: .seconds(160))
        #expect(late.last == .startDeadline(.retry, life: 3, after: .seconds(1)))
    }
}
