internal import NIOCore

/// A signaling server that accepts connections.
package struct ListeningServer: Sendable {
    package let host: String
    /// The port that is listened on, also where any free one was asked for.
    package let port: Int
    let engine: NIOLoopBound<EngineServer>

    /// The server's address, as clients are given it: `http://127.0.0.1:3000`.
    package var url: String { host.contains(":") ? "http://[\(host)]:\(port)" : "http://\(host):\(port)" }

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

    /// How often somebody or something has been refused since the start.
    package var refusals: RefusalCounts {
        get async {
            let counts = try? await engine.eventLoop.submit { engine.value.rooms.refusals }.get()
            return counts ?? RefusalCounts()
        }
    }
}
