/// The transports that a client uses, and their order.
public enum SocketTransports: Hashable, Sendable, CaseIterable {
    /// WebSocket, or polling if a server or a proxy refuses WebSocket or breaks its connection.
    ///
    /// Polling is upgraded to WebSocket if the server offers it.
    case websocketFirst
    /// Polling, upgraded to WebSocket if the server offers it: the default of the official clients.
    case pollingFirst
    /// WebSocket only.
    case websocket
    /// Polling only.
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
