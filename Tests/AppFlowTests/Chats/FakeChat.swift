import Basics
import CallCore
import ChatCore
import Synchronization

@testable import AppFlow

/// A chat server in memory, whose connections a test answers.
final class FakeChat: ChatService, ChatMemory, ChatFiles, AppServices {
    /// A connection whose events the test sends.
    final class Connection: ChatConnection {
        let peer: Int?
        let events: any AsyncSequence<ChatConnectionEvent, Never> & Sendable
        let sent = StateStore<[String]>([])
        let isClosed = StateStore(false)
        private let input: AsyncStream<ChatConnectionEvent>.Continuation

        init(peer: Int?) {
            self.peer = peer
            (events, input) = AsyncStream.makeStream()
        }

        func send(_ frame: String) { sent.update { $0.append(frame) } }

        func close() {
            isClosed.update { $0 = true }
            input.yield(.lost(.notConnected, code: 1000))
            input.finish()
        }

        /// Opens the connection as an extended server does.
        func greet() {
            input.yield(.opened)
            tell(.hello([:]))
        }

        /// Opens the connection as an extended server does, with a history.
        func greet(_ messages: [ChatMessage]) {
            greet()
            tell(.history(messages, before: nil, hasMore: false))
        }

        func tell(_ event: ChatEvent, with peer: Int? = nil) {
            input.yield(.frame(ChatEventEnvelope(event, with: peer).text))
        }

        /// Waits until the client has sent this many frames.
        func frames(_ count: Int) async -> [String] {
            for await frames in sent.states where frames.count >= count { return frames }
            return []
        }
    }

    let desktop = FakeDesktop()

    struct State {
        var people: Result<[ChatPerson], ChatError> = .success([])
        var users: [ChatUser?] = []
        /// The answer to each upload.
        var upload: Result<ChatMedia, ChatError> = .failure(.notSupported)
        var uploads: [String] = []
        /// The pictures that were fetched.
        var pictures: [String] = []
        /// The files that are not needed any more, in order.
        var forgotten: [String] = []
        /// The levels that the microphone delivers at the beginning of a recording.
        var levels = [-27.0, -54]
        var voiceFailure: ChatError?
        /// Whether a recording fails after its first levels.
        var failsLate = false
        /// The end of the wait for the folder of voice messages; nil without a wait.
        var voiceWait: AsyncStream<Never>?
        /// The voice messages that are complete.
        var recorded: [String] = []
        /// The voice messages of earlier processes.
        var leftVoices: [OutgoingFile] = []
        /// The drafts and muted people that the user's computer keeps.
        var preferences = ChatPreferences()
        /// The end of the wait for the list of people; nil without a wait.
        var peopleWait: AsyncStream<Never>?
        /// Whether preferences cannot be kept.
        var isDiskFull = false
        /// The end of the wait for another server or user; nil without a wait.
        var probe: AsyncStream<Never>?
    }

    static let own = ChatUser(id: 1000, name: "Ann")
    private let own: ChatUser
    let state = Mutex(State())
    let connections = StateStore<[ObjectIdentifier]>([])
    /// The preferences that were kept last.
    let kept = StateStore(ChatPreferences())
    /// The connection of the inbox.
    let inbox = Connection(peer: nil)
    private let made = Mutex<[Connection]>([])

    init(own: ChatUser = FakeChat.own) { self.own = own }

    func people(as own: Int) async throws(ChatError) -> [ChatPerson] {
        if let wait = state.withLock({ $0.peopleWait }) { for await _ in wait {} }
        return try state.withLock { $0.people }.get()
    }

    func connect(_ own: Int, with peer: Int?) -> any ChatConnection {
        let connection = Connection(peer: peer)
        guard peer != nil else { return inbox }
        made.withLock { $0.append(connection) }
        connections.update { $0.append(ObjectIdentifier(connection)) }
        return connection
    }

    /// Waits for the connection with this number.
    func connection(_ number: Int) async -> Connection {
        for await all in connections.states where all.count > number { break }
        return made.withLock { $0[number] }
    }

    func upload(_ path: String, as own: Int) async throws(ChatError) -> ChatMedia {
        try state.withLock { state in
            state.uploads.append(path)
            return state.upload
        }.get()
    }

    func picture(_ media: ChatMedia) async throws(ChatError) -> UserPicture {
        state.withLock { $0.pictures.append(media.id) }
        throw .notConnected
    }

    func save(_ media: ChatMedia, as name: String) async throws(ChatError) -> String { "/downloads/\(name)" }

    func fetch(_ media: ChatMedia) async throws(ChatError) -> String { "/cache/\(media.id)" }

    func forget(_ path: String) async { state.withLock { $0.forgotten.append(path) } }

    func newVoice(_ id: String, for peer: Int) async throws(ChatError) -> String {
        if let wait = state.withLock({ $0.voiceWait }) { for await _ in wait {} }
        return "/voice/\(id).ogg"
    }

    func leftVoices() async -> [OutgoingFile] { state.withLock { $0.leftVoices } }

    var recordsVoice: Bool { true }

    func recordVoice(
        _ settings: AppSettings,
        to path: String,
        until end: AsyncStream<Never>,
        onLevel: @escaping @Sendable (Double) -> Void
    ) async throws(ChatError) {
        let (levels, failure, isLate) = state.withLock { ($0.levels, $0.voiceFailure, $0.failsLate) }
        if let failure, !isLate { throw failure }
        for level in levels { onLevel(level) }
        if let failure { throw failure }
        for await _ in end {}
        state.withLock { $0.recorded.append(path) }
    }

    func chooseAnyFile(_ dialog: FileDialog) async throws -> String? { "/home/ann/chosen.pdf" }

    func download(_ media: ChatMedia, as own: Int, to path: String) async throws(ChatError) {
        throw .notSupported
    }

    func conversation(with peer: Int) async -> KeptConversation { KeptConversation() }

    func keep(_ messages: [ChatMessage], mode: ConversationState.Mode?, with peer: Int) async {}

    func keep(_ outbox: [OutgoingMessage], with peer: Int) async {}

    func preferences() async -> ChatPreferences { state.withLock { $0.preferences } }

    func keep(_ preferences: ChatPreferences, replacing old: ChatPreferences) async -> Bool {
        let new: ChatPreferences? = state.withLock { state in
            guard !state.isDiskFull else { return nil }
            state.preferences.apply(preferences, replacing: old)
            return state.preferences
        }
        guard let new else { return false }
        kept.update { $0 = new }
        return true
    }

    func devices() async -> [MediaDevice] { [] }

    func withServices(
        _ settings: AppSettings,
        token: String?,
        for identity: Identity,
        _ body: @Sendable (any SignalingService, any MediaService) async -> Void
    ) async {}

    func withChat(
        _ settings: AppSettings,
        _ user: ChatUser?,
        _ body: @Sendable (ChatSeat) async -> Void
    ) async {
        state.withLock { $0.users.append(user) }
        guard settings.server != "https://no.chat" else { return }
        if let probe = state.withLock({ $0.probe }) { for await _ in probe {} }
        await body(ChatSeat(self, self, self, own: user ?? self.own))
    }
}
