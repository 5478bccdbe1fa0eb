internal import Basics

/// Keeps the messages of one conversation at a bounded pace.
///
/// A memory may write all messages each time, and both people can change one any number of times a second.
actor MessageKeeper {
    struct Content: Hashable, Sendable {
        var messages: [ChatMessage]
        var mode: ConversationState.Mode?
    }

    /// The minimum time from one time that messages are kept to the next.
    static let interval = Duration.seconds(1)

    private let peer: Int
    private let memory: any ChatMemory
    private let clock: any Clock<Duration>
    private let newest: StateStore<Content>
    private var known: Content

    /// Creates a keeper for the conversation with `peer`, of which `known` is kept.
    init(_ known: Content, _ memory: any ChatMemory, peer: Int, clock: any Clock<Duration>) {
        (self.known, self.memory, self.peer, self.clock) = (known, memory, peer, clock)
        newest = StateStore(known)
    }

    /// Makes this the content to keep.
    ///
    /// A new mode is kept at once, because it decides what happens to the outbox after a crash.
    func update(_ content: Content) async {
        newest.update { $0 = content }
        if content.mode != known.mode { await keep() }
    }

    /// Keeps each new content until the task is cancelled, the first at once.
    func run() async {
        for await content in newest.states where content != known {
            await keep()
            try? await clock.sleep(for: Self.interval)
        }
    }

    /// Keeps the content as it is now.
    func keep() async {
        let content = newest.state
        guard content != known else { return }
        known = content
        await memory.keep(content.messages, mode: content.mode, with: peer)
    }
}
