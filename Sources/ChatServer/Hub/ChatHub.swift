internal import Basics
internal import ChatCore
package import NIOCore

/// The state of all sockets, and the rules that turn received frames into storage operations and outgoing frames.
///
/// It is a value without tasks, clocks or network connections; `ChatDesk` performs its effects.
package struct ChatHub: Sendable {
    package typealias SocketID = Int

    /// The settings of the chat.
    package struct Settings: Hashable, Sendable {
        /// The range of delays after which simulated people reply; zero for immediate replies.
        package var replyDelay: ClosedRange<Duration> = .milliseconds(600)...(.milliseconds(1500))

        package init() {}
    }

    package enum Effect: Hashable, Sendable {
        /// Sends a text frame to these sockets.
        case send(String, [SocketID])
        /// Closes a socket with a close code (RFC 6455 §7.4).
        case close(SocketID, UInt16)
        /// Performs an operation after all earlier ones, and passes its outcome to `finish`; searches need not wait for
        /// others.
        case perform(ChatOperation, ChatTicket)
        /// Calls `reply(from:to:)` after a delay, so that a simulated person replies.
        case reply(from: Int, to: Int, after: Duration)
    }

    /// The maximum number of pending operations; further ones are refused.
    package static let mostOperations = 4096
    /// The maximum memory of pending operations in bytes.
    package static let mostWaitingBytes = 8_000_000
    /// The maximum number of pending searches; each person may have one.
    package static let mostSearches = 64
    /// The maximum number of people whom one person can block.
    package static let mostBlocks = 1000
    private static let minimumPruned = 1024
    private static let limits: JSONObject = [
        "text": .int(ChatLimits.longestText), "textBytes": .int(ChatLimits.longestTextBytes),
        "frame": .int(ChatLimits.longestFrame), "perSecond": .int(ChatLimits.framesPerSecond),
        "burst": .int(ChatLimits.burst), "media": .int(ChatLimits.largestFile),
    ]

    let settings: Settings
    var roster = ChatRoster()
    private var allowances: [Int: ChatAllowance] = [:]
    private var pruneCount = minimumPruned
    private var rings = ChatRings()
    var blocks: [Int: Set<Int>]
    private(set) var waiting = 0
    private(set) var waitingBytes = 0
    /// The people with a pending search.
    private(set) var searching: Set<Int> = []
    package var simulated: SimulatedPeople
    /// The time before which the presence of simulated people does not change again, because each change is reported to
    /// many sockets.
    private var nextDraw = NIODeadline.distantPast
    /// The number of messages stored since the start.
    package internal(set) var storedMessages = 0

    package init(_ settings: Settings = Settings(), blocks: [Int: Set<Int>] = [:], simulated: SimulatedPeople)
    {
        (self.settings, self.blocks, self.simulated) = (settings, blocks, simulated)
    }

    package var socketCount: Int { roster.count }

    /// Whether further operations are refused, because too many are pending.
    var isBusy: Bool { waiting >= Self.mostOperations || waitingBytes >= Self.mostWaitingBytes }

    // MARK: People

    /// Returns whether a real client of the person is connected.
    package func isConnected(_ person: Int) -> Bool { roster.isConnected(person) }

    /// Returns whether the server answers for the person; it does not while a real client has that ID.
    private func isSimulated(_ person: Int) -> Bool {
        simulated.person(person) != nil && !isConnected(person)
    }

    /// Determines whether a person is shown as online to `viewer`; nil stands for an unknown viewer.
    package func isOnline(_ person: Int, for viewer: Int? = nil) -> Bool {
        guard !hidesPresence(of: person, from: viewer) else { return false }
        return isConnected(person) || simulated.isOnline(person)
    }

    /// Returns whether the presence of a person must be hidden from `viewer`; nil stands for an unknown viewer.
    func hidesPresence(of person: Int, from viewer: Int?) -> Bool {
        if let viewer, isBlocked(viewer, by: person) { return true }
        guard blocks[person] != nil else { return false }
        // A blocked person could otherwise ask without an ID, or with the ID of a person without an account.
        guard let viewer else { return true }
        return PersonKind(viewer) != .account && PersonKind(person) == .account
    }

    /// The IDs of the connected people who are neither simulated nor have accounts, in order.
    package var connectedGuests: [Int] { roster.connected.filter { PersonKind($0) == .guest }.sorted() }

    func isBlocked(_ person: Int, by peer: Int) -> Bool { blocks[peer]?.contains(person) ?? false }

    /// Randomly selects again which simulated people are online, at most once in ten seconds.
    package mutating func drawSimulated(at time: NIODeadline) -> [Effect] {
        guard time >= nextDraw else { return [] }
        nextDraw = time + .seconds(10)
        let before = simulated
        simulated.draw()
        var effects: [Effect] = []
        for person in 1...SimulatedPeople.count
        where simulated.isOnline(person) != before.isOnline(person) && !isConnected(person) {
            tellPresence(of: person, &effects)
        }
        return effects
    }

    // MARK: Sockets

    /// Adds a socket with a new ID.
    ///
    /// - Returns: The effects.
    package mutating func open(_ id: SocketID, _ seat: ChatSeat, at time: NIODeadline) -> [Effect] {
        var effects: [Effect] = []
        let person = seat.person
        let isAllowed = allow(person, at: time) { $0.takeOpening(at: time) }
        guard isAllowed, !isBusy, roster.socketCount(of: person) < ChatLimits.socketsPerPerson else {
            // Too many sockets of one person are a policy violation (1008); other refusals are temporary (1013).
            refuseOpening(id, seat, isAllowed && !isBusy ? 1008 : 1013, &effects)
            return effects
        }
        let isFirst = !roster.isConnected(person)
        roster.add(ChatRoster.Socket(seat), id)
        if seat.isExtended {
            let isPeerSimulated = seat.peer.map { isSimulated($0) } ?? false
            let hello = ChatEvent.hello(Self.limits, isPeerSimulated: isPeerSimulated)
            effects.append(.send(ChatEventEnvelope(hello).text, [id]))
        }
        if !seat.names.isEmpty {
            perform(.name(seat.names), ChatTicket(nil, person: person, peer: 0), &effects)
        }
        let operation: ChatOperation =
            if let peer = seat.peer {
                .open(
                    person: person,
                    peer: peer,
                    limit: seat.isExtended ? ChatLimits.page : ChatLimits.plainHistory,
                    isReader: !seat.isExtended
                )
            } else {
                .inbox(person: person)
            }
        perform(operation, ChatTicket(id, person: person, peer: seat.peer ?? 0), &effects)
        if isFirst { tellPresence(of: person, &effects) }
        return effects
    }

    private func refuseOpening(_ id: SocketID, _ seat: ChatSeat, _ code: UInt16, _ effects: inout [Effect]) {
        if seat.isExtended {
            let tooMany =
                "this person already has \(ChatLimits.socketsPerPerson) open connections, the maximum"
            let refusal = ChatEvent.error(
                code: code == 1008 ? "too_many" : "busy",
                message: code == 1008 ? tooMany : "too many connections are being opened at once",
                reference: nil
            )
            effects.append(.send(ChatEventEnvelope(refusal).text, [id]))
        }
        effects.append(.close(id, code))
    }

    /// Removes a socket.
    package mutating func close(_ id: SocketID) -> [Effect] {
        guard let person = roster.remove(id)?.seat.person, !roster.isConnected(person) else { return [] }
        var effects: [Effect] = []
        tellPresence(of: person, &effects)
        return effects
    }

    /// Deducts from a person's allowance by `body`, and returns its result; the allowance is stored until it has
    /// recovered, even if the person has no sockets.
    private mutating func allow(
        _ person: Int,
        at time: NIODeadline,
        _ body: (inout ChatAllowance) -> Bool
    ) -> Bool {
        if allowances.count >= pruneCount {
            allowances = allowances.filter { !$0.value.isWhole(at: time) }
            pruneCount = max(Self.minimumPruned, allowances.count * 2)
        }
        return body(&allowances[person, default: ChatAllowance()])
    }

    /// Returns the sockets of a person that were opened with an access token, with these tokens.
    func tokens(of person: Int) -> [(id: SocketID, token: String)] { roster.tokens(of: person) }

    // MARK: Frames

    /// Handles a frame that was received on a socket.
    package mutating func receive(_ text: String, from id: SocketID, at time: NIODeadline) -> [Effect] {
        guard let seat = roster[id]?.seat else { return [] }
        var effects: [Effect] = []
        guard seat.isExtended else {
            receivePlain(text, id, seat, at: time, &effects)
            return effects
        }
        // Parsing a frame takes time, too, even if the frame is invalid.
        guard allow(seat.person, at: time, { $0.takeBytes(text.utf8.count, at: time) }) else {
            effects.append(.close(id, 1008))
            return effects
        }
        do throws(ChatRequest.Refusal) {
            let envelope: ChatRequest.Envelope?
            do throws(ChatRequest.Refusal) {
                envelope = try ChatRequest.Envelope(text)
            } catch {
                _ = allow(seat.person, at: time) { $0.takeFrame(at: time) }
                throw error
            }
            guard let envelope else {
                guard allow(seat.person, at: time, { $0.takeFrame(at: time) }) else {
                    throw .init("too_fast", "too many messages at once")
                }
                return []
            }
            try admit(envelope.request, seat.person, at: time)
            try handle(envelope, id, seat, at: time, &effects)
        } catch {
            refuse(error, id, &effects)
        }
        return effects
    }

    private mutating func receivePlain(
        _ text: String,
        _ id: SocketID,
        _ seat: ChatSeat,
        at time: NIODeadline,
        _ effects: inout [Effect]
    ) {
        guard allow(seat.person, at: time, { $0.takeFrame(at: time) && $0.takeStorage(text, at: time) }),
            !isBusy
        else {
            return effects.append(.close(id, 1008))
        }
        guard ChatLimits.allows(text) else { return effects.append(.close(id, 1009)) }
        // The original server stores blank messages as well, but nobody can see them.
        guard let peer = seat.peer, !text.isBlank else { return }
        guard !isBlocked(seat.person, by: peer) else { return effects.append(.close(id, 1008)) }
        send(
            ChatDraft(id: OutgoingMessage.newID(), from: seat.person, to: peer, text: text.storable),
            id,
            &effects
        )
    }

    private mutating func admit(
        _ request: ChatRequest,
        _ person: Int,
        at time: NIODeadline
    ) throws(ChatRequest.Refusal) {
        let isBusy = isBusy
        let isAllowed = allow(person, at: time) { allowance in
            if case .edit(_, let text) = request {
                return allowance.takeFrame(at: time) && allowance.takeStorage(text, at: time)
            }
            guard case .message(let id, let text, _, _) = request else {
                return allowance.takeFrame(at: time)
            }
            guard isBusy else { return allowance.takeMessage(id, text, at: time) }
            allowance.refuse(id, at: time)
            return true
        }
        guard isAllowed else {
            throw .init("too_fast", "too many messages at once", reference: request.reference)
        }
        guard !isBusy else { throw .init("busy", "the server is busy", reference: request.reference) }
    }

    private mutating func handle(
        _ envelope: ChatRequest.Envelope,
        _ id: SocketID,
        _ seat: ChatSeat,
        at time: NIODeadline,
        _ effects: inout [Effect]
    ) throws(ChatRequest.Refusal) {
        let (person, request) = (seat.person, envelope.request)
        switch request {
        case .search(let query):
            guard searching.count < Self.mostSearches, searching.insert(person).inserted else {
                throw .init("busy", "the server is still busy with other searches")
            }
            // Searches are slow and change nothing, so they are not counted as pending operations.
            let ticket = ChatTicket(id, person: person, peer: 0, request)
            return effects.append(.perform(.search(person: person, query: query), ticket))
        case .block(let other): return try setBlock(other, true, id, person, request, &effects)
        case .unblock(let other): return try setBlock(other, false, id, person, request, &effects)
        case .report(let other, let reason):
            let ticket = ChatTicket(id, person: person, peer: other, request)
            let operation = ChatOperation.report(person: person, reported: other, reason: reason.storable)
            return perform(operation, ticket, &effects)
        default: break
        }
        guard let peer = seat.peer ?? envelope.with, peer > 0, peer != person else {
            throw .init(
                "no_conversation",
                "“withId” must be the ID of another person",
                reference: request.reference
            )
        }
        let ticket = ChatTicket(id, person: person, peer: peer, request)
        let isBlocked = isBlocked(person, by: peer)
        switch request {
        case .message(let name, let text, let media, let replyTo):
            guard !isBlocked else { throw .blocked(name) }
            var draft = ChatDraft(id: name, from: person, to: peer, text: text.storable)
            (draft.media, draft.replyTo) = (media, replyTo)
            send(draft, id, &effects)
        case .edit(let name, let text):
            guard !isBlocked else { throw .blocked(name) }
            let operation = ChatOperation.edit(id: name, text: text.storable, person: person, peer: peer)
            perform(operation, ticket, &effects)
        case .delete(let name): perform(.delete(id: name, person: person, peer: peer), ticket, &effects)
        case .reaction(let name, let reaction, let isAdded):
            guard !isBlocked else { throw .blocked(name) }
            perform(
                .reaction(id: name, reaction, isAdded: isAdded, person: person, peer: peer),
                ticket,
                &effects
            )
        case .read(let name): perform(.read(id: name, person: person, peer: peer), ticket, &effects)
        case .history(let before, let limit):
            perform(.page(person: person, peer: peer, before: before, limit: limit), ticket, &effects)
        case .typing:
            if !isBlocked { tellUnlessHidden(.typing(from: person), to: peer, of: person, &effects) }
        case .call, .hangUp, .answer: try handle(call: request, of: ticket, id, at: time, &effects)
        case .search, .block, .unblock, .report: break
        }
    }

    private mutating func handle(
        call request: ChatRequest,
        of ticket: ChatTicket,
        _ id: SocketID,
        at time: NIODeadline,
        _ effects: inout [Effect]
    ) throws(ChatRequest.Refusal) {
        let (person, peer) = (ticket.person, ticket.peer)
        switch request {
        case .call(let room):
            guard !hidesPresence(of: peer, from: person), roster.hasExtendedSocket(peer, for: person) else {
                throw .init("offline", "this person cannot be called now", reference: request.reference)
            }
            guard rings.begin(room, from: person, to: peer, at: time) else {
                throw .init("too_fast", "too many calls in a short time", reference: request.reference)
            }
            tell(.call(room: room, from: person), to: peer, of: person, &effects)
        case .hangUp(let room):
            let isKnown = rings.end(room, by: person, with: peer, at: time)
            // A call that began to ring before one person blocked the other ends for both.
            if isKnown || !isBlocked(person, by: peer) {
                tell(.hangUp(room: room, from: person), to: peer, of: person, &effects)
            }
            tellOthers(.hangUp(room: room, from: person), of: person, with: peer, but: id, &effects)
        case .answer(let room):
            rings.answer(room, by: person, to: peer, at: time)
            tellOthers(.hangUp(room: room, from: person), of: person, with: peer, but: id, &effects)
        default: break
        }
    }

    private mutating func setBlock(
        _ other: Int,
        _ isBlocked: Bool,
        _ id: SocketID,
        _ person: Int,
        _ request: ChatRequest,
        _ effects: inout [Effect]
    ) throws(ChatRequest.Refusal) {
        guard other != person, self.isBlocked(other, by: person) != isBlocked else { return }
        guard !isBlocked || blocks[person]?.count ?? 0 < Self.mostBlocks else {
            throw .init("too_many", "at most \(Self.mostBlocks) people can be blocked")
        }
        setBlock(other, by: person, isBlocked, &effects)
        let operation = ChatOperation.block(person: person, blocked: other, isBlocked: isBlocked)
        perform(operation, ChatTicket(id, person: person, peer: other, request), &effects)
    }

    func refuse(_ refusal: ChatRequest.Refusal, _ id: SocketID, _ effects: inout [Effect]) {
        guard let socket = roster[id] else { return }
        guard socket.seat.isExtended else { return effects.append(.close(id, 1008)) }
        let event = ChatEvent.error(
            code: refusal.code,
            message: refusal.message,
            reference: refusal.reference
        )
        effects.append(.send(ChatEventEnvelope(event).text, [id]))
    }

    // MARK: Operations

    mutating func perform(_ operation: ChatOperation, _ ticket: ChatTicket, _ effects: inout [Effect]) {
        var ticket = ticket
        ticket.bytes = operation.bytes
        waiting += 1
        waitingBytes += ticket.bytes
        effects.append(.perform(operation, ticket))
    }

    mutating func end(_ ticket: ChatTicket) {
        if case .search = ticket.request {
            searching.remove(ticket.person)
            return
        }
        waiting -= 1
        waitingBytes -= ticket.bytes
    }

    mutating func send(_ draft: ChatDraft, _ socket: SocketID?, _ effects: inout [Effect]) {
        var draft = draft
        draft.isDelivered = roster.hasSocket(draft.recipient, for: draft.sender)
        draft.isRead = roster.hasPlainSocket(draft.recipient, for: draft.sender)
        perform(.message(draft), ChatTicket(socket, person: draft.sender, peer: draft.recipient), &effects)
    }
}

extension ChatRequest.Refusal {
    fileprivate static func blocked(_ id: String) -> Self {
        .init("blocked", "this person does not receive your messages", reference: id)
    }
}

extension String {
    /// The text with null characters replaced, because SQLite would end the text at the first one.
    fileprivate var storable: String {
        guard utf8.contains(0) else { return self }
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars { scalars.append(scalar == "\0" ? "\u{FFFD}" : scalar) }
        return String(scalars)
    }
}
