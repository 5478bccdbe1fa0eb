internal import Basics

/// Stores the messages of one conversation, at most once per `interval`.
///
/// The rate is limited because a `ChatMemory` may write all messages each time, and both people can change a message
/// any number of times per second.
actor MessageKeeper {
    struct Content: Hashable, Sendable {
        var messages: [ChatMessage]
        var mode: ConversationState.Mode?
    }

    /// The minimum time between two writes.
    static let interval = Duration.seconds(1)

    private let peer: Int
    private let memory: any ChatMemory
    private let clock: any Clock<Duration>
    private let newest: StateStore<Content>
    private var known: Content

    /// Creates a keeper for the conversation with `peer`; `known` is the content that is already stored.
    init(_ known: Content, _ memory: any ChatMemory, peer: Int, clock: any Clock<Duration>) {
        (self.known, self.memory, self.peer, self.clock) = (known, memory, peer, clock)
        newest = StateStore(known)
    }

    /// Sets the content to store.
    ///
    /// A new mode is stored immediately, because it determines how the outbox is treated after a crash.
    func update(_ content: Content) async {
        newest.update { $0 = content }
        if content.mode != known.mode { await keep() }
    }

    /// Stores each new content until the task is cancelled; the first one is stored immediately.
    func run() async {
        for await content in newest.states where content != known {
            await keep()
            try? await clock.sleep(for: Self.interval)
        }
    }

    /// Stores the current content.
    func keep() async {
        let content = newest.state
        guard content != known else { return }
        known = content
        await memory.keep(content.messages, mode: content.mode, with: peer)
    }
}
