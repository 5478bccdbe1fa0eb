/// The name of a transport in Engine.IO.
enum TransportName: String, Hashable, Sendable {
    case websocket
    case polling
}
