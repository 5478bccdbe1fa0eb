internal import Basics
package import NIOHTTP1

extension HTTPRequestHead {
    /// Whether the client requests an upgrade to WebSocket (RFC 6455).
    package var isWebSocketUpgrade: Bool {
        method == .GET && version == .http1_1
            && headers[canonicalForm: "upgrade"].contains { $0.lowercased() == "websocket" }
            && headers[canonicalForm: "connection"].contains { $0.lowercased() == "upgrade" }
    }

    /// Whether the target and all header values are stream-safe, which means that they have no unusually long sequences
    /// of combining marks.
    package var isStreamSafe: Bool { uri.isStreamSafe && headers.allSatisfy(\.value.isStreamSafe) }
}
