import SocketIO
import Testing

@testable import SocketIOClient

extension ConnectionStateMachine {
    /// Creates a state machine that waits 1, 2, 4, 5, 5 … seconds between attempts.
    static func scripted(over transports: SocketTransports = .websocketFirst) throws -> ConnectionStateMachine
    {
        var configuration = try SocketConfiguration(url: "http://h")
        configuration.random = { 0 }
        configuration.transports = transports
        return ConnectionStateMachine(configuration)
    }

    /// Creates a state machine that joined its namespace at time zero.
    ///
    /// The server's ping interval is 25 s, and its ping timeout 20 s.
    static func joined(over transports: SocketTransports = .websocketFirst) throws -> ConnectionStateMachine {
        var machine = try scripted(over: transports)
        _ = machine.handle(.connect, at: .zero)
        machine.join(at: .zero)
        return machine
    }

    /// Completes the current attempt by joining the namespace.
    mutating func join(at now: Duration) {
        for input in [.opened(life), .text(handshake(), life), .text(#"40{"sid":"s"}"#, life)]
            as [ConnectionInput]
        {
            _ = handle(input, at: now)
        }
        #expect(phase == .connected)
    }
}

extension ConnectionInput {
    static func opened(_ life: Int) -> ConnectionInput { .transport(.opened, life: life) }

    static func lost(_ life: Int) -> ConnectionInput { .failed(.closed(code: nil), life) }

    static func failed(_ failure: SocketFailure, _ life: Int) -> ConnectionInput {
        .transport(.ended(TransportEnd(reason: .transportClose, failure: failure)), life: life)
    }

    /// Creates the input for a received text message.
    ///
    /// A text that is no valid packet becomes a noop packet.
    static func text(_ text: String, _ life: Int) -> ConnectionInput {
        .transport(.packet((try? EnginePacket(text: text)) ?? .noop), life: life)
    }
}
