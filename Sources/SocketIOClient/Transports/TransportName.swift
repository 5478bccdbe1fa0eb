/// A transport, by its name in Engine.IO.
enum TransportName: String, Hashable, Sendable {
    case websocket
    case polling
}
