internal import Basics
internal import ChatCore
internal import HTTPFront
package import NIOCore

/// The sockets of the chat, and the rules by which frames lead to stored messages and to frames for others.
///
/// A value without tasks, clocks or sockets; `ChatService` performs its effects.
package struct ChatHub: Sendable {
    package typealias SocketID = Int

    /// The settings of the chat.
    package struct Settings: Hashable, Sendable {
        /// The time after which simulated people reply; they reply at once if it is zero.
        package var replyDelay: ClosedRange<Duration> = .milliseconds(600)...(.milliseconds(1500))

        package init() {}
    }

    package enum Effect: Hashable, Sendable {
        /// Sends a text frame.
        case send(String, SocketID)
        /// Closes a socket with a code (RFC 6455 §7.4).
        case close(SocketID, UInt16)
        /// Performs an operation after all that were asked for before, and passes its outcome to `finish`.
        case perform(ChatOperation, ChatTicket)
        /// Lets a simulated person reply after a time.
        case reply(from: Int, to: Int, after: Duration)
    }

    /// The maximum number of operations that have not been performed; further ones are refused.
    package static let mostOperations = 4096
    private static let rate = TokenRate(
        perSecond: Double(ChatLimits.framesPerSecond),
        capacity: Double(ChatLimits.burst)
    )
    private static let limits: JSONObject = [
        "text": .int(ChatLimits.longestText), "textBytes": .int(ChatLimits.longestTextBytes),
        "frame": .int(ChatLimits.longestFrame), "perSecond": .int(ChatLimits.framesPerSecond),
        "burst": .int(ChatLimits.burst), "media": .int(ChatLimits.largestFile),
    ]

    private var settings: Settings
    private var roster = ChatRoster()
    private var allowances: [Int: TokenBucket] = [:]
    private var blocks: [Int: Set<Int>]
    private var waiting = 0
    package var simulated: SimulatedPeople

    package init(_ settings: Settings = Settings(), blocks: [Int: Set<Int>] = [:], simulated: SimulatedPeople)
    {
        (self.settings, self.blocks, self.simulated) = (settings, blocks, simulated)
    }

    package var socketCount: Int { roster.count }

    // MARK: People

    /// Whether a real client of the person is connected.
    package func isConnected(_ person: Int) -> Bool { roster.isConnected(person) }

    /// Determines whether a person is shown as online to another.
    package func isOnline(_ person: Int, for viewer: Int? = nil) -> Bool {
        if let viewer, blocks[person]?.contains(viewer) ?? false { return false }
        return isConnected(person) || simulated.isOnline(person)
    }

    /// The connected people who are neither simulated nor have accounts.
    package var connectedGuests: [Int] { roster.connected.filter { PersonKind($0) == .guest }.sorted() }

    // MARK: Sockets

    /// Adds a socket.
    ///
    /// - Parameters:
    ///   - id: A new ID.
    ///   - person: The person whose client it is.
    ///   - peer: The other person of the conversation; nil for an inbox.
    ///   - isExtended: Whether the client knows more than texts.
    ///   - names: The names of these people, as far as they have any.
    /// - Returns: The effects.
    package mutating func open(
        _ id: SocketID,
        person: Int,
        peer: Int?,
        isExtended: Bool,
        names: [Int: String] = [:]
    ) -> [Effect] {
        var effects: [Effect] = []
        let isFirst = !roster.isConnected(person)
        guard roster.socketCount(of: person) < ChatLimits.socketsPerPerson else {
            if isExtended {
                let refusal = ChatEvent.error(
                    code: "too_many",
                    message: "this person has \(ChatLimits.socketsPerPerson) open connections",
                    reference: nil
                )
                effects.append(.send(ChatEventEnvelope(refusal).text, id))
            }
            return effects + [.close(id, 1008)]
        }
        roster.add(ChatRoster.Socket(person: person, peer: peer, isExtended: isExtended), id)
        if isExtended { effects.append(.send(ChatEventEnvelope(.hello(Self.limits)).text, id)) }
        if !names.isEmpty { perform(.name(names), ChatTicket(nil, person: person, peer: 0), &effects) }
        let ticket = ChatTicket(id, person: person, peer: peer ?? 0)
        if let peer {
            let limit = isExtended ? ChatLimits.page : ChatLimits.plainHistory
            perform(
                .open(person: person, peer: peer, limit: limit, isReader: !isExtended),
                ticket,
                &effects
            )
        } else {
            perform(.inbox(person: person), ticket, &effects)
        }
        if isFirst { tellPresence(of: person, &effects) }
        return effects
    }

    /// Removes a socket.
    package mutating func close(_ id: SocketID) -> [Effect] {
        guard let person = roster.remove(id)?.person, !roster.isConnected(person) else { return [] }
        allowances[person] = nil
        var effects: [Effect] = []
        tellPresence(of: person, &effects)
        return effects
    }

    /// Handles a frame of a socket.
    package mutating func receive(_ text: String, from id: SocketID, at time: NIODeadline) -> [Effect] {
        guard let socket = roster[id] else { return [] }
        var effects: [Effect] = []
        let isAllowed = allowances[socket.person, default: TokenBucket()].take(of: Self.rate, at: time)
        guard socket.isExtended else {
            guard isAllowed, waiting < Self.mostOperations else { return [.close(id, 1008)] }
            guard ChatLimits.allows(text) else { return [.close(id, 1009)] }
            // The original server stores blank messages as well, but nobody can see them.
            guard let peer = socket.peer, !text.isBlank else { return [] }
            guard !isBlocked(socket.person, by: peer) else { return [.close(id, 1008)] }
            send(
                ChatDraft(id: OutgoingMessage.newID(), from: socket.person, to: peer, text: text),
                id,
                &effects
            )
            return effects
        }
        do throws(ChatRequest.Refusal) {
            let envelope = try ChatRequest.Envelope(text)
            guard isAllowed else {
                throw .init("too_fast", "too many messages at once", reference: envelope?.request.reference)
            }
            guard let envelope else { return [] }
            guard waiting < Self.mostOperations else {
                throw .init("busy", "the server is busy", reference: envelope.request.reference)
            }
            try handle(envelope, id, socket, &effects)
        } catch {
            refuse(error, id, &effects)
        }
        return effects
    }

    private mutating func handle(
        _ envelope: ChatRequest.Envelope,
        _ id: SocketID,
        _ socket: ChatRoster.Socket,
        _ effects: inout [Effect]
    ) throws(ChatRequest.Refusal) {
        let person = socket.person
        switch envelope.request {
        case .search(let query):
            let ticket = ChatTicket(id, person: person, peer: 0, envelope.request)
            return perform(.search(person: person, query: query), ticket, &effects)
        case .block(let other): return setBlock(other, true, id, person, &effects)
        case .unblock(let other): return setBlock(other, false, id, person, &effects)
        case .report(let other, let reason):
            let ticket = ChatTicket(id, person: person, peer: other)
            return perform(.report(person: person, reported: other, reason: reason), ticket, &effects)
        default: break
        }
        guard let peer = socket.peer ?? envelope.with, peer > 0, peer != person else {
            throw .init(
                "no_conversation",
                "“withId” names the other person",
                reference: envelope.request.reference
            )
        }
        let ticket = ChatTicket(id, person: person, peer: peer, envelope.request)
        switch envelope.request {
        case .message(let name, let text, let media, let replyTo):
            guard !isBlocked(person, by: peer) else {
                throw .init("blocked", "this person does not receive your messages", reference: name)
            }
            var draft = ChatDraft(id: name, from: person, to: peer, text: text)
            (draft.media, draft.replyTo) = (media, replyTo)
            send(draft, id, &effects)
        case .edit(let name, let text):
            perform(.edit(id: name, text: text, person: person, peer: peer), ticket, &effects)
        case .delete(let name): perform(.delete(id: name, person: person, peer: peer), ticket, &effects)
        case .reaction(let name, let reaction, let isAdded):
            guard !isBlocked(person, by: peer) else { return }
            perform(
                .reaction(id: name, reaction, isAdded: isAdded, person: person, peer: peer),
                ticket,
                &effects
            )
        case .read(let name): perform(.read(id: name, person: person, peer: peer), ticket, &effects)
        case .history(let before, let limit):
            perform(.page(person: person, peer: peer, before: before, limit: limit), ticket, &effects)
        case .typing:
            if !isBlocked(person, by: peer) { tell(.typing(from: person), to: peer, of: person, &effects) }
        case .call(let room):
            guard !isBlocked(person, by: peer), roster.hasExtendedSocket(peer) else {
                throw .init("offline", "this person cannot be called now")
            }
            tell(.call(room: room, from: person), to: peer, of: person, &effects)
        case .search, .block, .unblock, .report: break
        }
    }

    // MARK: Outcomes

    /// Handles the outcome of an operation.
    package mutating func finish(_ ticket: ChatTicket, _ outcome: ChatOutcome) -> [Effect] {
        waiting -= 1
        var effects: [Effect] = []
        switch outcome {
        case .refused(let refusal): if let socket = ticket.socket { refuse(refusal, socket, &effects) }
        case .opened(let page, let marks): didOpen(ticket, page, marks, &effects)
        case .inbox(let conversations, let delivered):
            didOpenInbox(ticket, conversations, delivered, &effects)
        case .page(let page):
            guard let socket = ticket.socket else { break }
            var before: String?
            if case .history(let id, _) = ticket.request { before = id }
            send(
                .history(page.messages, before: before, hasMore: page.hasMore),
                socket,
                of: ticket.peer,
                &effects
            )
        case .message(let message, let isNew): didStore(message, isNew: isNew, ticket, &effects)
        case .edited(let text):
            if case .edit(let id, _) = ticket.request {
                tellBoth(.edit(id: id, text: text, from: ticket.person), ticket, &effects)
            }
        case .deleted:
            if case .delete(let id) = ticket.request {
                tellBoth(.delete(id: id, from: ticket.person), ticket, &effects)
            }
        case .reaction:
            if case .reaction(let id, let reaction, let isAdded) = ticket.request {
                let event = ChatEvent.reaction(id: id, reaction, isAdded: isAdded, from: ticket.person)
                tellBoth(event, ticket, &effects)
            }
        case .read(let isNew):
            if isNew, case .read(let id) = ticket.request {
                tellBoth(.read(id: id, from: ticket.person), ticket, &effects)
            }
        case .found(let messages):
            if let socket = ticket.socket, case .search(let query) = ticket.request {
                send(.found(query: query, messages), socket, of: nil, &effects)
            }
        case .done: break
        }
        return effects
    }

    /// Closes a socket whose operation could not be performed, because the storage has failed.
    package mutating func fail(_ ticket: ChatTicket) -> [Effect] {
        waiting -= 1
        // The client connects again, and sends again what was not confirmed.
        return ticket.socket.map { roster[$0] == nil ? [] : [.close($0, 1011)] } ?? []
    }

    /// Lets a simulated person reply now, unless a real client has taken its place.
    package mutating func reply(from person: Int, to peer: Int) -> [Effect] {
        var effects: [Effect] = []
        guard simulated.isOnline(person), !isConnected(person), waiting < Self.mostOperations else {
            return []
        }
        var draft = ChatDraft(
            id: OutgoingMessage.newID(),
            from: person,
            to: peer,
            text: simulated.nextReply()
        )
        draft.isAutomatic = true
        send(draft, nil, &effects)
        return effects
    }

    private mutating func didOpen(
        _ ticket: ChatTicket,
        _ page: ChatPage,
        _ marks: ChatMarks,
        _ effects: inout [Effect]
    ) {
        guard let id = ticket.socket, let socket = roster[id], let peer = socket.peer else { return }
        roster.setReady(id)
        if socket.isExtended { roster.watch(peer, by: id) }
        send(.history(page.messages, before: nil, hasMore: page.hasMore), id, of: peer, &effects)
        if let last = marks.delivered { send(.delivered(id: last, to: peer), id, of: peer, &effects) }
        if let last = marks.read { send(.read(id: last, from: peer), id, of: peer, &effects) }
        let isOnline = isOnline(peer, for: socket.person)
        send(.presence(person: peer, isOnline: isOnline), id, of: peer, &effects)
        if let last = marks.newlyDelivered {
            tell(.delivered(id: last, to: socket.person), to: peer, of: socket.person, &effects)
        }
        if let last = marks.newlyRead {
            tell(.read(id: last, from: socket.person), to: peer, of: socket.person, &effects)
        }
    }

    private mutating func didOpenInbox(
        _ ticket: ChatTicket,
        _ conversations: [ChatConversation],
        _ delivered: [Int: String],
        _ effects: inout [Effect]
    ) {
        guard let id = ticket.socket, let person = roster[id]?.person else { return }
        roster.setReady(id)
        send(.conversations(conversations), id, of: nil, &effects)
        for conversation in conversations {
            roster.watch(conversation.with, by: id)
            guard isOnline(conversation.with, for: person) else { continue }
            send(.presence(person: conversation.with, isOnline: true), id, of: conversation.with, &effects)
        }
        for (peer, last) in delivered.sorted(by: { $0.key < $1.key }) {
            tell(.delivered(id: last, to: person), to: peer, of: person, &effects)
        }
    }

    private mutating func didStore(
        _ message: ChatMessage,
        isNew: Bool,
        _ ticket: ChatTicket,
        _ effects: inout [Effect]
    ) {
        guard isNew else {
            // The sender has not seen the first echo.
            if let socket = ticket.socket { send(.message(message), socket, of: ticket.peer, &effects) }
            return
        }
        tellBoth(.message(message), ticket, &effects)
        for socket in roster.inboxes(of: ticket.person) { roster.watch(ticket.peer, by: socket) }
        for socket in roster.inboxes(of: ticket.peer) { roster.watch(ticket.person, by: socket) }
        if roster.hasSocket(ticket.peer, for: ticket.person), let id = message.id {
            tell(.delivered(id: id, to: ticket.peer), to: ticket.person, of: ticket.peer, &effects)
        }
        guard !message.isAutomatic, simulated.isOnline(ticket.peer), !isConnected(ticket.peer) else { return }
        let delay = simulated.delay(settings.replyDelay)
        if delay > .zero { tell(.typing(from: ticket.peer), to: ticket.person, of: ticket.peer, &effects) }
        effects.append(.reply(from: ticket.peer, to: ticket.person, after: delay))
    }

    // MARK: Parts

    private mutating func perform(
        _ operation: ChatOperation,
        _ ticket: ChatTicket,
        _ effects: inout [Effect]
    ) {
        waiting += 1
        effects.append(.perform(operation, ticket))
    }

    private mutating func send(_ draft: ChatDraft, _ socket: SocketID?, _ effects: inout [Effect]) {
        var draft = draft
        draft.isDelivered = roster.hasSocket(draft.recipient, for: draft.sender)
        draft.isRead = roster.hasPlainSocket(draft.recipient, for: draft.sender)
        let request = ChatRequest.message(
            id: draft.id,
            text: "",
            media: nil,
            replyTo: nil
        )
        let ticket = ChatTicket(socket, person: draft.sender, peer: draft.recipient, request)
        perform(.message(draft), ticket, &effects)
    }

    private mutating func setBlock(
        _ other: Int,
        _ isBlocked: Bool,
        _ id: SocketID,
        _ person: Int,
        _ effects: inout [Effect]
    ) {
        guard other != person else { return }
        let wasOnline = isOnline(person, for: other)
        if isBlocked { blocks[person, default: []].insert(other) } else { blocks[person]?.remove(other) }
        if blocks[person]?.isEmpty ?? false { blocks[person] = nil }
        let operation = ChatOperation.block(person: person, blocked: other, isBlocked: isBlocked)
        perform(operation, ChatTicket(id, person: person, peer: other), &effects)
        let isOnline = isOnline(person, for: other)
        guard isOnline != wasOnline else { return }
        tell(.presence(person: person, isOnline: isOnline), to: other, of: person, &effects)
    }

    private func isBlocked(_ person: Int, by peer: Int) -> Bool { blocks[peer]?.contains(person) ?? false }

    /// Tells everybody who is told of a person's presence.
    private func tellPresence(of person: Int, _ effects: inout [Effect]) {
        for id in roster.watchers(of: person) {
            guard let viewer = roster[id]?.person else { continue }
            let event = ChatEvent.presence(person: person, isOnline: isOnline(person, for: viewer))
            send(event, id, of: person, &effects)
        }
    }

    private func refuse(_ refusal: ChatRequest.Refusal, _ id: SocketID, _ effects: inout [Effect]) {
        guard let socket = roster[id] else { return }
        guard socket.isExtended else {
            effects.append(.close(id, 1008))
            return
        }
        let event = ChatEvent.error(
            code: refusal.code,
            message: refusal.message,
            reference: refusal.reference
        )
        effects.append(.send(ChatEventEnvelope(event).text, id))
    }

    /// Sends an event of the conversation with `peer` to one socket.
    private func send(_ event: ChatEvent, _ id: SocketID, of peer: Int?, _ effects: inout [Effect]) {
        if let frame = roster.frame(event, id, of: peer) { effects.append(frame) }
    }

    /// Sends an event of the conversation of two people to all sockets of one of them that are for it.
    private func tell(_ event: ChatEvent, to person: Int, of peer: Int, _ effects: inout [Effect]) {
        effects += roster.frames(event, to: person, of: peer)
    }

    /// Sends an event to all sockets of both people of a ticket that are for their conversation.
    private func tellBoth(_ event: ChatEvent, _ ticket: ChatTicket, _ effects: inout [Effect]) {
        tell(event, to: ticket.person, of: ticket.peer, &effects)
        tell(event, to: ticket.peer, of: ticket.person, &effects)
    }
}
