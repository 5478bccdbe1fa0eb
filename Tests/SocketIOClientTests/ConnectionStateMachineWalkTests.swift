import Basics
import SocketIO
import Testing

@testable import SocketIOClient

@Suite("Random inputs to the connection state machine")
struct ConnectionStateMachineWalkTests {
    /// Returns the inputs from which each step chooses; not all are valid in the current state.
    private static func inputs(life: Int) -> [ConnectionInput] {
        let texts = [
            handshake(), #"40{"sid":"s"}"#, "40", "41", #"44{"message":"no"}"#, #"42["a"]"#, "430[]", "4x",
            "1", "2",
            #"451-["a",{"_placeholder":true,"num":0}]"#,
        ]
        let offer =
            #"0{"sid":"engine","upgrades":["websocket"],"pingInterval":25000,"pingTimeout":20000}"#
        let probes: [TransportEvent] = [
            .reached, .requested, .opened, .pong, .packet(.pong("probe")), .packet(.pong("")), .packet(.noop),
            .packet(.message(#"2["a"]"#)),
            .ended(TransportEnd(reason: .transportClose, failure: .closed(code: nil))),
        ]
        let refusal = TransportEnd(reason: .transportError, failure: .notEngineIO("", status: 502))
        let deadlines: [ConnectionDeadline] = [
            .connect, .heartbeat, .signOfLife, .upgrade, .retry, .closing,
        ]
        return [
            .connect, .connect, .disconnect, .flooded, .doubt, .networkChanged(lostAddress: nil),
            .networkChanged(lostAddress: "192.0.2.1"), .transport(.reached, life: life),
            .transport(.pong, life: life), .failed(.unreachable("no route"), life), .opened(life),
            .lost(life), .opened(life - 1),
            .lost(life - 1),
        ]
            + [.text(offer, life), .text(offer, life), .transport(.paused, life: life)]
            + [.transport(.ended(refusal), life: life), .probe(.opened, life: life - 1)]
            + (probes + probes).map { .probe($0, life: life) }
            + [.transport(.packet(.binary([1])), life: life)] + texts.map { .text($0, life) }
            + deadlines.flatMap { [.deadline($0, life: life), .deadline($0, life: life - 1)] }
    }

    /// A checker of the state machine's invariants, which receives every effect.
    private struct Observer {
        var isOpen = false
        var isConnected = false
        var hasProbe = false
        var isPaused = false
        var transport = TransportName.websocket
        var lastLife = 0
        var isFinished = false

        mutating func see(_ effect: ConnectionEffect) {
            #expect(!isFinished, "\(effect) after the end")
            switch effect {
            case .open(let life, let transport):
                self.transport = transport
                #expect(!isOpen, "two lives at a time")
                #expect(life == lastLife + 1)
                isOpen = true
                lastLife = life
            case .abandon:
                #expect(isOpen)
                isOpen = false
                hasProbe = false
                isPaused = false
            case .send, .close:
                #expect(isOpen)
                #expect(!isPaused, "sent on a transport that gives way")
            case .ping: #expect(isConnected && transport == .websocket)
            case .openProbe:
                #expect(isOpen && !hasProbe && transport == .polling)
                hasProbe = true
            case .sendOnProbe: #expect(hasProbe)
            case .dropProbe:
                #expect(hasProbe)
                hasProbe = false
            case .pausePolling:
                #expect(hasProbe && !isPaused)
                isPaused = true
            case .resumePolling:
                #expect(!hasProbe && isPaused)
                isPaused = false
            case .switchToProbe:
                #expect(hasProbe && isPaused)
                (hasProbe, isPaused, transport) = (false, false, .websocket)
            case .report(.upgraded): #expect(isConnected && transport == .websocket)
            case .report(.connected):
                #expect(!isConnected)
                isConnected = true
            case .report(.event), .report(.undeliverable): #expect(isConnected)
            case .report(.disconnected):
                #expect(isConnected)
                isConnected = false
            case .report(.connectFailed), .report(.refused): #expect(!isConnected)
            case .finish:
                #expect(!isOpen)
                isFinished = true
            case .startDeadline(_, let life, let wait):
                #expect(life == lastLife)
                #expect(wait > .zero)
            case .report(.connecting), .resolveAck, .failAcks: break
            }
        }
    }

    @Test(
        "At most one transport and its probe are open, only they are used, and finishing succeeds",
        arguments: 0..<200
    )
    func walk(_ seed: Int) throws {
        var configuration = try SocketConfiguration(url: "http://h")
        configuration.transports = SocketTransports.allCases[seed % SocketTransports.allCases.count]
        configuration.random = { 0.3 }
        var machine = ConnectionStateMachine(configuration)
        var observer = Observer()
        var random = SeededGenerator(seed: UInt64(seed))
        for step in 0..<300 {
            let input = Self.inputs(life: machine.life).randomElement(using: &random) ?? .connect
            for effect in machine.handle(input, at: .seconds(step)) { observer.see(effect) }
        }
        for effect in machine.handle(.finish, at: .seconds(300)) { observer.see(effect) }
        for effect in machine.handle(.deadline(.closing, life: machine.life), at: .seconds(301)) {
            observer.see(effect)
        }
        #expect(observer.isFinished)
        #expect(machine.handle(.connect, at: .seconds(302)) == [])
    }
}
