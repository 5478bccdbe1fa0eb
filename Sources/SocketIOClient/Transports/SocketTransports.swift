/// Which transports a client uses, and in which order.
public enum SocketTransports: Hashable, Sendable, CaseIterable {
    /// WebSocket; where a server or a proxy refuses or breaks it, polling, changed to WebSocket as soon as
    /// that can be.
    case websocketFirst
    /// Polling, changed to WebSocket where the server offers it: the official clients' default.
    case pollingFirst
    /// WebSocket and nothing else.
    case websocket
    /// Polling and nothing else.
    case polling

    var first: TransportName {
        switch self {
        case .websocketFirst, .websocket: .websocket
        case .pollingFirst, .polling: .polling
        }
    }

    var fallsBack: Bool { self == .websocketFirst }

    var upgrades: Bool { self == .websocketFirst || self == .pollingFirst }
}
