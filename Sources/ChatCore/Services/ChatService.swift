/// A client's access to a chat server.
package protocol ChatService: Sendable {
    /// Fetches the list of people, with those with whom this person has a conversation.
    ///
    /// - Throws: `ChatError`.
    func people(as own: Int) async throws(ChatError) -> [ChatPerson]

    /// Opens a WebSocket for a conversation, or for the inbox if `peer` is nil.
    func connect(_ own: Int, with peer: Int?) -> any ChatConnection

    /// Uploads a file to the server.
    ///
    /// - Throws: `ChatError`.
    func upload(_ path: String, as own: Int) async throws(ChatError) -> ChatMedia

    /// Downloads a file from the server to a new file.
    ///
    /// - Throws: `ChatError`.
    func download(_ media: ChatMedia, as own: Int, to path: String) async throws(ChatError)
}

/// A WebSocket connection to a chat server.
package protocol ChatConnection: Sendable {
    /// The events in order, for a single consumer; `.lost` is the last one.
    ///
    /// If the consumer is too slow, the stream ends without `.lost`.
    var events: any AsyncSequence<ChatConnectionEvent, Never> & Sendable { get }

    /// Sends a text frame; it is lost if the connection is not open.
    func send(_ frame: String)

    /// Closes the connection with code 1000, or stops opening it; `.lost` follows.
    func close()
}

/// An event of a chat WebSocket.
package enum ChatConnectionEvent: Hashable, Sendable {
    case opened
    /// A text frame, or a binary frame in UTF-8.
    case frame(String)
    /// The connection was not opened, or has ended; the code is the server's close code, if it sent one.
    case lost(ChatError, code: Int?)
}

/// A client's persistent storage for conversations and preferences.
package protocol ChatMemory: Sendable {
    /// Reads the stored conversation with a person.
    func conversation(with peer: Int) async -> KeptConversation

    /// Stores the newest messages of a conversation, at most `ChatLimits.kept`.
    func keep(_ messages: [ChatMessage], mode: ConversationState.Mode?, with peer: Int) async

    /// Stores the messages that the server has not confirmed; they are persistent when this method returns.
    func keep(_ outbox: [OutgoingMessage], with peer: Int) async

    /// Reads the stored preferences.
    func preferences() async -> ChatPreferences

    /// Stores the differences between `old` and `preferences`; changes that other programs have made to other entries
    /// are preserved.
    ///
    /// - Returns: False if storing the preferences has failed; always true for a memory that stores nothing.
    func keep(_ preferences: ChatPreferences, replacing old: ChatPreferences) async -> Bool
}

/// The user's unsent texts and files, and the people whose messages make no sound.
package struct ChatPreferences: Hashable, Sendable {
    /// The drafts by person ID.
    package var drafts: [Int: String] = [:]
    package var muted: Set<Int> = []
    /// The files that are being sent, in the order in which the user sent them.
    package var files: [OutgoingFile] = []

    package init() {}

    /// Applies the differences between `old` and `new`.
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

/// A conversation as stored by a client.
package struct KeptConversation: Hashable, Sendable {
    package var messages: [ChatMessage] = []
    package var outbox: [OutgoingMessage] = []
    package var mode: ConversationState.Mode?

    package init() {}
}
