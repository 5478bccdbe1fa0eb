import Basics
import SocketIOClient

extension AsyncStream where Element: Sendable {
    /// Waits for the next element; nil if the stream has finished.
    func next() async -> Element? {
        for await element in self { return element }
        return nil
    }
}

extension SocketEvent {
    /// The event as text, for comparison.
    var text: String {
        switch self {
        case .connecting(let attempt): "connecting \(attempt)"
        case .connected(let sid, let transport): "connected \(sid) \(transport)"
        case .upgraded(let transport): "upgraded \(transport)"
        case .event(let name, let arguments, let ack):
            "\(name) \(JSON.array(arguments).serialized())" + (ack == nil ? "" : " ack")
        case .disconnected(let reason, _, let wait): reason.rawValue + (wait == nil ? "" : ", retrying")
        case .undeliverable(let name, let bytes, let limit): "undeliverable \(name) \(bytes) \(limit)"
        case .connectFailed: "failed"
        case .refused(let message, let data): "refused \(message) \(data?.serialized() ?? "")"
        }
    }

    /// The failure that the event reports, if any.
    var failure: SocketFailure? {
        switch self {
        case .disconnected(_, let failure, _): failure
        case .connectFailed(let failure, _): failure
        case .connecting, .connected, .upgraded, .event, .undeliverable, .refused: nil
        }
    }
}

extension Socket {
    /// Waits for the next event and returns it as text, or `finished` at the end of the events.
    func next() async -> String { await events.next()?.text ?? "finished" }
}
