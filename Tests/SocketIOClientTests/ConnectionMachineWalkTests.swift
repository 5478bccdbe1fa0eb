import SocketIO
import Testing

@testable import SocketIOClient

@Suite("Connection machine, walked at random")
struct ConnectionMachineWalkTests {
    /// What may happen next, sensible or not.
    private static func inputs(life: Int) -> [ConnectionInput] {
        let texts = [
            handshake(), #"40{"sid":"s"}"#, "40", "41", #"44{"message":"no"}"#, #"42["a"]"#, "430[]", "4x",
            "1", "2",
            #"451-["a",{"_placeholder":true,"num":0}]"#,
        ]
        let deadlines: [ConnectionDeadline] = [.connect, .heartbeat, .retry, .farewell]
        return [
            .connect, .connect, .disconnect, .flooded, .opened(life), .lost(life), .opened(life - 1),
            .lost(life - 1),
        ]
            + [.transport(.packet(.binary([1])), life: life)] + texts.map { .text($0, life) }
            + deadlines.flatMap { [.deadline($0, life: life), .deadline($0, life: life - 1)] }
    }

    /// What must hold whatever happens, followed effect by effect.
    private struct Observer {
        var isOpen = false
        var isConnected = false
        var lastLife = 0
        var isFinished = false

        mutating func see(_ effect: ConnectionEffect) {
            #expect(!isFinished, "\(effect) after the end")
            switch effect {
            case .open(let life):
                #expect(!isOpen, "two lives at a time")
                #expect(life == lastLife + 1)
                isOpen = true
                lastLife = life
            case .abandon:
                #expect(isOpen)
                isOpen = false
            case .send, .close: #expect(isOpen)
            case .report(.connected):
                #expect(!isConnected)
                isConnected = true
            case .report(.event): #expect(isConnected)
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

    @Test("One life at a time, nothing sent without one, and a finish that always comes", arguments: 0..<200)
    func walk(_ seed: Int) throws {
        var configuration = try SocketConfiguration(url: "http://h")
        configuration.random = { 0.3 }
        var machine = ConnectionMachine(configuration)
        var observer = Observer()
        var random = SplitMix(state: UInt64(seed))
        for step in 0..<300 {
            let input = Self.inputs(life: machine.life).randomElement(using: &random) ?? .connect
            for effect in machine.handle(input, at: .seconds(step)) { observer.see(effect) }
        }
        for effect in machine.handle(.finish, at: .seconds(300)) { observer.see(effect) }
        for effect in machine.handle(.deadline(.farewell, life: machine.life), at: .seconds(301)) {
            observer.see(effect)
        }
        #expect(observer.isFinished)
        #expect(machine.handle(.connect, at: .seconds(302)) == [])
    }
}

/// A small generator whose numbers depend on nothing but its state.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
