/// A server of the chat.
package protocol ChatService: Sendable {
    /// Fetches the list of people.
    ///
    /// - Throws: `ChatError`.
    func people() async throws(ChatError) -> [ChatPerson]

    /// Opens a WebSocket for a conversation, or for the inbox without another person.
    func connect(_ own: Int, with peer: Int?) -> any ChatConnection

    /// Stores a file on the server.
    ///
    /// - Throws: `ChatError`.
    func upload(_ path: String, as own: Int) async throws(ChatError) -> ChatMedia

    /// Fetches a file from the server to a new file.
    ///
    /// - Throws: `ChatError`.
    func download(_ media: ChatMedia, as own: Int, to path: String) async throws(ChatError)
}

/// A WebSocket of the chat.
package protocol ChatConnection: Sendable {
    /// The events in order, for a single consumer; `.lost` is the last one.
    ///
    /// The stream ends without it if the consumer is too slow.
    var events: any AsyncSequence<ChatConnectionEvent, Never> & Sendable { get }

    /// Sends a text frame; it is lost if the connection is not open.
    func send(_ frame: String)

    /// Closes the connection with code 1000, or gives up to open it; `.lost` follows.
    func close()
}

/// An event of a WebSocket of the chat.
package enum ChatConnectionEvent: Hashable, Sendable {
    case opened
    /// A text frame, or a binary frame in UTF-8.
    case frame(String)
    /// The connection was not opened, or has ended; the code is the server's close code, if it sent one.
    case lost(ChatError, code: Int?)
}

/// The memory of a client, which keeps what a user has sent and seen.
package protocol ChatMemory: Sendable {
    /// Reads a conversation as it was kept.
    func conversation(with peer: Int) async -> KeptConversation

    /// Keeps the newest messages of a conversation, of which `ChatLimits.kept` stay.
    func keep(_ messages: [ChatMessage], mode: ConversationState.Mode?, with peer: Int) async

    /// Keeps the messages that the server has not confirmed; when it returns, they outlive the process.
    func keep(_ outbox: [OutgoingMessage], with peer: Int) async

    /// Reads what is kept beside the conversations.
    func preferences() async -> ChatPreferences

    /// Keeps what differs between two preferences; what other programs have kept of other people stays.
    ///
    /// - Returns: Whether the preferences outlive the process, unless nothing does.
    func keep(_ preferences: ChatPreferences, replacing old: ChatPreferences) async -> Bool
}

/// The texts and files that a user has not sent yet, and the people whose messages make no noise.
package struct ChatPreferences: Hashable, Sendable {
    /// The drafts by person.
    package var drafts: [Int: String] = [:]
    package var muted: Set<Int> = []
    /// The files on their way, in the order in which the user has sent them.
    package var files: [OutgoingFile] = []

    package init() {}

    /// Takes over what differs between `old` and `new`.
    package mutating func apply(_ new: ChatPreferences, replacing old: ChatPreferences) {
        for person in Set(old.drafts.keys).union(new.drafts.keys)
        where old.drafts[person] != new.drafts[person] {
            drafts[person] = new.drafts[person]
        }
        muted.subtract(old.muted.subtracting(new.muted))
        muted.formUnion(new.muted.subtracting(old.muted))
        let gone = Set(old.files.map(\.id)).subtracting(new.files.map(\.id))
        files.removeAll { gone.contains($0.id) }
        for file in new.files where !old.files.contains(file) {
            if let index = files.firstIndex(where: { $0.id == file.id }) {
                files[index] = file
            } else {
                files.append(file)
            }
        }
    }
}

/// A conversation as a client has kept it.
package struct KeptConversation: Hashable, Sendable {
    package var messages: [ChatMessage] = []
    package var outbox: [OutgoingMessage] = []
    package var mode: ConversationState.Mode?

    package init() {}
}
