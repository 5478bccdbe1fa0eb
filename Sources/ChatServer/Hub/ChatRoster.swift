internal import ChatCore

/// The open sockets of the chat, and the frames that events become for them.
struct ChatRoster: Sendable {
    struct Socket: Sendable {
        let person: Int
        /// The other person of the conversation; nil for an inbox.
        let peer: Int?
        let isExtended: Bool
        /// Whether the first answer of the storage has been sent, so that events may follow.
        var isReady = false
        /// The people whose presence the client is told.
        var watched: Set<Int> = []
    }

    private var sockets: [ChatHub.SocketID: Socket] = [:]
    private var people: [Int: Set<ChatHub.SocketID>] = [:]
    /// The sockets whose clients are told of a person's presence.
    private var watchers: [Int: Set<ChatHub.SocketID>] = [:]

    var count: Int { sockets.count }

    subscript(id: ChatHub.SocketID) -> Socket? { sockets[id] }

    // MARK: Sockets

    mutating func add(_ socket: Socket, _ id: ChatHub.SocketID) {
        sockets[id] = socket
        people[socket.person, default: []].insert(id)
    }

    /// Removes a socket and returns it.
    mutating func remove(_ id: ChatHub.SocketID) -> Socket? {
        guard let socket = sockets.removeValue(forKey: id) else { return nil }
        for person in socket.watched {
            watchers[person]?.remove(id)
            if watchers[person]?.isEmpty ?? false { watchers[person] = nil }
        }
        people[socket.person]?.remove(id)
        if people[socket.person]?.isEmpty ?? false { people[socket.person] = nil }
        return socket
    }

    mutating func setReady(_ id: ChatHub.SocketID) { sockets[id]?.isReady = true }

    /// Tells the client of a socket from now on whether a person is online.
    mutating func watch(_ person: Int, by id: ChatHub.SocketID) {
        guard sockets[id]?.watched.insert(person).inserted ?? false else { return }
        watchers[person, default: []].insert(id)
    }

    // MARK: People

    func isConnected(_ person: Int) -> Bool { people[person] != nil }

    func socketCount(of person: Int) -> Int { people[person]?.count ?? 0 }

    var connected: some Collection<Int> { people.keys }

    func inboxes(of person: Int) -> [ChatHub.SocketID] { ids(of: person) { $0.peer == nil } }

    /// The sockets whose clients are told of a person's presence.
    func watchers(of person: Int) -> [ChatHub.SocketID] { watchers[person, default: []].sorted() }

    /// Whether messages of `peer` reach a device of a person at once.
    func hasSocket(_ person: Int, for peer: Int) -> Bool {
        !ids(of: person) { $0.peer == peer || $0.peer == nil }.isEmpty
    }

    /// Whether a plain client of a person shows the messages of `peer`.
    func hasPlainSocket(_ person: Int, for peer: Int) -> Bool {
        !ids(of: person) { $0.peer == peer && !$0.isExtended }.isEmpty
    }

    func hasExtendedSocket(_ person: Int) -> Bool { !ids(of: person, \.isExtended).isEmpty }

    private func ids(of person: Int, _ condition: (Socket) -> Bool) -> [ChatHub.SocketID] {
        people[person, default: []].filter { sockets[$0].map(condition) ?? false }.sorted()
    }

    // MARK: Frames

    /// Returns the frame of an event of the conversation with `peer` for one socket, if it gets events.
    func frame(_ event: ChatEvent, _ id: ChatHub.SocketID, of peer: Int?) -> ChatHub.Effect? {
        guard let socket = sockets[id], socket.isReady else { return nil }
        return Self.text(event, socket, of: peer).map { .send($0, id) }
    }

    private static func text(_ event: ChatEvent, _ socket: Socket, of peer: Int?) -> String? {
        guard socket.isExtended else { return event.plainText }
        return ChatEventEnvelope(event, with: socket.peer == nil ? peer : nil).text
    }

    /// Returns the frames of an event of the conversation of two people for all sockets of one of them that are for it.
    func frames(_ event: ChatEvent, to person: Int, of peer: Int) -> [ChatHub.Effect] {
        ids(of: person) { $0.peer == peer || $0.peer == nil }.compactMap { frame(event, $0, of: peer) }
    }
}
