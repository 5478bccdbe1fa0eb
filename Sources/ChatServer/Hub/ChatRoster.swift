internal import ChatCore

/// The open sockets of the chat.
struct ChatRoster: Sendable {
    struct Socket: Sendable {
        let seat: ChatSeat
        /// Whether the first answer from the storage was sent, after which events may be sent.
        var isReady = false
        /// The people whose presence is reported to the client.
        var watched: Set<Int> = []

        init(_ seat: ChatSeat) { self.seat = seat }

        /// Returns whether the socket receives the events of the conversation with `peer`.
        func isFor(_ peer: Int) -> Bool { seat.peer == peer || seat.peer == nil }
    }

    private var sockets: [ChatHub.SocketID: Socket] = [:]
    /// The sockets of each person, in the order in which they were opened.
    private var people: [Int: [ChatHub.SocketID]] = [:]
    /// The sockets to which each person's presence is reported.
    private var watchers: [Int: Set<ChatHub.SocketID>] = [:]

    var count: Int { sockets.count }

    subscript(id: ChatHub.SocketID) -> Socket? { sockets[id] }

    // MARK: Sockets

    mutating func add(_ socket: Socket, _ id: ChatHub.SocketID) {
        sockets[id] = socket
        people[socket.seat.person, default: []].append(id)
    }

    /// Removes a socket and returns it.
    mutating func remove(_ id: ChatHub.SocketID) -> Socket? {
        guard let socket = sockets.removeValue(forKey: id) else { return nil }
        for person in socket.watched {
            watchers[person]?.remove(id)
            if watchers[person]?.isEmpty ?? false { watchers[person] = nil }
        }
        let person = socket.seat.person
        people[person]?.removeAll { $0 == id }
        if people[person]?.isEmpty ?? false { people[person] = nil }
        return socket
    }

    mutating func setReady(_ id: ChatHub.SocketID) { sockets[id]?.isReady = true }

    /// Starts to report a person's presence to a socket; returns false if it is reported already.
    mutating func watch(_ person: Int, by id: ChatHub.SocketID) -> Bool {
        guard sockets[id]?.watched.insert(person).inserted ?? false else { return false }
        watchers[person, default: []].insert(id)
        return true
    }

    // MARK: People

    func isConnected(_ person: Int) -> Bool { people[person] != nil }

    func socketCount(of person: Int) -> Int { people[person]?.count ?? 0 }

    var connected: some Collection<Int> { people.keys }

    /// Returns the sockets of a person that were opened with an access token, with these tokens.
    func tokens(of person: Int) -> [(id: ChatHub.SocketID, token: String)] {
        people[person, default: []].compactMap { id in sockets[id]?.seat.token.map { (id, $0) } }
    }

    func inboxes(of person: Int) -> [ChatHub.SocketID] {
        people[person, default: []].filter { sockets[$0]?.seat.peer == nil }
    }

    /// Returns the sockets to which a person's presence is reported, in order.
    func watchers(of person: Int) -> [ChatHub.SocketID] { watchers[person, default: []].sorted() }

    /// Returns the ready sockets of a person that receive the events of the conversation with `peer`, in order.
    func sockets(of person: Int, for peer: Int) -> [(id: ChatHub.SocketID, socket: Socket)] {
        guard let ids = people[person] else { return [] }
        return ids.compactMap { id in
            guard let socket = sockets[id], socket.isReady, socket.isFor(peer) else { return nil }
            return (id, socket)
        }
    }

    /// Returns whether messages from `peer` reach a device of a person immediately.
    func hasSocket(_ person: Int, for peer: Int) -> Bool { has(person) { $0.isFor(peer) } }

    /// Returns whether a client of the original protocol shows the person the conversation with `peer`.
    func hasPlainSocket(_ person: Int, for peer: Int) -> Bool {
        has(person) { $0.seat.peer == peer && !$0.seat.isExtended }
    }

    /// Returns whether calls from `peer` can be reported to a device of a person.
    func hasExtendedSocket(_ person: Int, for peer: Int) -> Bool {
        has(person) { $0.isReady && $0.seat.isExtended && $0.isFor(peer) }
    }

    private func has(_ person: Int, _ condition: (Socket) -> Bool) -> Bool {
        people[person]?.contains { sockets[$0].map(condition) ?? false } ?? false
    }
}
