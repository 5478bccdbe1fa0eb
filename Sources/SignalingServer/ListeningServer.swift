internal import NIOCore

/// A signaling server that accepts connections.
package struct ListeningServer: Sendable {
    package let host: String
    /// The port that is listened on, also where any free one was asked for.
    package let port: Int
    /// Whether it speaks TLS, and nothing but TLS.
    package let isSecure: Bool
    let engine: NIOLoopBound<EngineServer>

    /// The server's address, as clients are given it: `http://127.0.0.1:3000`.
    package var url: String {
        "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// Lets nobody in any more, tells everybody that the server goes, and lets calls end by themselves.
    ///
    /// Returns when everybody has left, when the time is over, or when the task is cancelled.
    package func drain(within limit: Duration) async {
        let loop = engine.eventLoop
        await withTaskCancellationHandler {
            try? await loop.flatSubmit { engine.value.rooms.drain(within: TimeAmount(limit)) }.get()
        } onCancel: {
            loop.execute { engine.value.rooms.close() }
        }
    }
}
