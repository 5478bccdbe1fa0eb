import Basics
import ChatCore

/// A chat service whose connections are the test's.
final class ScriptedChat: ChatService {
    /// The connections that were opened, in order.
    let connections = StateStore<[ScriptedConnection]>([])

    func people(as own: Int) async throws(ChatError) -> [ChatPerson] { [] }

    func connect(_ own: Int, with peer: Int?) -> any ChatConnection {
        let connection = ScriptedConnection(own: own, peer: peer)
        connections.update { $0.append(connection) }
        return connection
    }

    func upload(_ path: String, as own: Int) async throws(ChatError) -> ChatMedia { throw .notSupported }

    func download(_ media: ChatMedia, as own: Int, to path: String) async throws(ChatError) {
        throw .notSupported
    }

    /// Waits for the connection of a number, counted from 1.
    func connection(_ number: Int) async -> ScriptedConnection {
        for await connections in connections.states where connections.count >= number {
            return connections[number - 1]
        }
        // The test was cancelled.
        return ScriptedConnection(own: 0, peer: nil)
    }
}

/// A connection that records the frames that are sent, and delivers those of the test.
final class ScriptedConnection: ChatConnection, Equatable {
    struct Record: Equatable {
        var frames: [String] = []
        var closes = 0
    }

    let own: Int
    let peer: Int?
    let events: any AsyncSequence<ChatConnectionEvent, Never> & Sendable
    let record = StateStore(Record())
    private let sink: AsyncStream<ChatConnectionEvent>.Continuation

    init(own: Int, peer: Int?) {
        (self.own, self.peer) = (own, peer)
        (events, sink) = AsyncStream.makeStream()
    }

    static func == (left: ScriptedConnection, right: ScriptedConnection) -> Bool { left === right }

    func send(_ frame: String) { record.update { $0.frames.append(frame) } }

    func close() {
        record.update { $0.closes += 1 }
        lose(code: nil)
    }

    // MARK: The server

    func open() { sink.yield(.opened) }

    func deliver(_ event: ChatEvent, with peer: Int? = nil) {
        sink.yield(.frame(ChatEventEnvelope(event, with: peer).text))
    }

    func deliver(_ frame: String) { sink.yield(.frame(frame)) }

    func lose(_ error: ChatError = .network("it broke"), code: Int? = nil) {
        sink.yield(.lost(error, code: code))
        sink.finish()
    }

    /// Ends the events, as if some were dropped.
    func end() { sink.finish() }

    /// Waits until so many frames were sent, and returns them.
    func frames(_ count: Int) async -> [String] {
        for await record in record.states where record.frames.count >= count { return record.frames }
        return []
    }
}

/// A memory that lives as long as the test.
actor RecordedMemory: ChatMemory {
    private(set) var kept = KeptConversation()
    /// The number of times that messages were kept.
    private(set) var timesKept = 0
    private var keptPreferences = ChatPreferences()

    init(_ kept: KeptConversation = KeptConversation()) { self.kept = kept }

    func conversation(with peer: Int) -> KeptConversation { kept }

    func keep(_ messages: [ChatMessage], mode: ConversationState.Mode?, with peer: Int) {
        (kept.messages, kept.mode) = (messages, mode)
        timesKept += 1
    }

    func keep(_ outbox: [OutgoingMessage], with peer: Int) { kept.outbox = outbox }

    func preferences() -> ChatPreferences { keptPreferences }

    func keep(_ preferences: ChatPreferences, replacing old: ChatPreferences) -> Bool {
        keptPreferences.apply(preferences, replacing: old)
        return true
    }
}

extension ChatMessage {
    /// A message as an extended server sends it.
    static func from(_ sender: Int, to recipient: Int, _ text: String, id: String, at second: Int64 = 0)
        -> Self
    {
        var message = ChatMessage(
            from: "Person \(sender)",
            to: "Person \(recipient)",
            text: text,
            time: ChatTime(microseconds: 1_700_000_000_000_000 + second * 1_000_000)
        )
        (message.id, message.fromID, message.toID) = (id, sender, recipient)
        return message
    }

    /// A message as an original server sends it.
    static func plain(_ sender: String, to recipient: String, _ text: String, at second: Int64 = 0) -> Self {
        ChatMessage(
            from: sender,
            to: recipient,
            text: text,
            time: ChatTime(microseconds: 1_700_000_000_000_000 + second * 1_000_000)
        )
    }
}
