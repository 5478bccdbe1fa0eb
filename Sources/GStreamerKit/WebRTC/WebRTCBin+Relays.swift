internal import CGStreamer
internal import GLibKit
internal import Glibc

extension WebRTCBin {
    /// The time limit for the TURN server's response.
    ///
    /// The server is told at once, and over UDP libnice 0.1.21 does not receive its response.
    private static let patience: Duration = .milliseconds(100)

    /// GIO's `GAsyncReadyCallback`.
    private typealias Ready =
        @convention(c) (UnsafeMutablePointer<GObject>?, OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    private typealias CloseAgent =
        @convention(c) (UnsafeMutablePointer<GObject>, Ready, UnsafeMutableRawPointer) -> Void

    private static let closeAgent = LibNice.function("nice_agent_close_async").map {
        unsafeBitCast($0, to: CloseAgent.self)  // the signature is that of libnice 0.1.21's documentation
    }

    /// Releases the relayed addresses, which the TURN servers would keep for ten minutes; to be called once
    /// stopped.
    ///
    /// The connection is unusable afterwards.
    @MediaActor
    package func releaseRelays() async {
        guard let agent = niceAgent, let close = Self.closeAgent else { return }
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        let box = Unmanaged.passRetained(Answer(answer))
        close(
            agent.object.pointer,
            // libnice passes the given pointer back, once.
            { _, _, data in Unmanaged<Answer>.fromOpaque(data!).takeRetainedValue().continuation.finish() },
            box.toOpaque()
        )
        await withTaskGroup { group in
            group.addTask { for await _ in answers { return } }
            group.addTask { try? await ContinuousClock().sleep(for: Self.patience) }
            await group.next()
            group.cancelAll()
        }
    }
}

/// The continuation that a C callback resumes, boxed in its user data.
private final class Answer: Sendable {
    let continuation: AsyncStream<Void>.Continuation

    init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }
}
