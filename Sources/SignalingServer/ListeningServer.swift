internal import NIOCore

/// A signaling server that accepts connections.
package struct ListeningServer: Sendable {
    package let host: String
    /// The port that the server listens on; if port 0 was configured, the port that the system chose.
    package let port: Int
    /// Whether the server accepts only TLS connections.
    package let isSecure: Bool
    let signaling: NIOLoopBound<SignalingHost>

    /// The server's URL for clients, such as `http://127.0.0.1:3000`.
    package var url: String {
        "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// Refuses new joins, notifies all members of rooms that the server stops, and lets calls end by
    /// themselves.
    ///
    /// Returns when all members have left, when the time limit has passed, or when the task is cancelled.
    package func drain(within limit: Duration) async {
        let loop = signaling.eventLoop
        await withTaskCancellationHandler {
            try? await loop.flatSubmit { signaling.value.engine.rooms.drain(within: TimeAmount(limit)) }.get()
        } onCancel: {
            loop.execute { signaling.value.engine.rooms.close() }
        }
    }
}
