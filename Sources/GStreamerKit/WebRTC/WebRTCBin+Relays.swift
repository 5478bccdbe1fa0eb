internal import CGStreamer
internal import GLibKit
internal import Glibc

extension WebRTCBin {
    /// What an answer of the TURN server is waited for: it was told at once, and over UDP libnice 0.1.21 hears
    /// no answer.
    private static let patience: Duration = .milliseconds(100)

    /// GIO's `GAsyncReadyCallback`.
    private typealias Ready =
        @convention(c) (UnsafeMutablePointer<GObject>?, OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    private typealias CloseAgent =
        @convention(c) (UnsafeMutablePointer<GObject>, Ready, UnsafeMutableRawPointer) -> Void

    private static let closeAgent = LibNice.function("nice_agent_close_async").map {
        unsafeBitCast($0, to: CloseAgent.self)  // the signature is that of libnice 0.1.21's documentation
    }

    /// Gives relayed addresses back to their servers, which would keep them for ten minutes; once stopped.
    ///
    /// The connection is of no use afterwards.
    @MediaActor
    package func releaseRelays() async {
        guard let agent = niceAgent, let close = Self.closeAgent else { return }
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        let box = Unmanaged.passRetained(Answer(answer))
        close(
            agent.object.pointer,
            // libnice passes back what it was given, once.
            { _, _, data in Unmanaged<Answer>.fromOpaque(data!).takeRetainedValue().news.finish() },
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

/// What a C callback needs, boxed in its user data.
private final class Answer: Sendable {
    let news: AsyncStream<Void>.Continuation

    init(_ news: AsyncStream<Void>.Continuation) { self.news = news }
}
