/// The state machine of a client's inbox: one connection for all conversations, with unread counts, presence and calls.
package struct InboxStateMachine: Sendable {
    package enum Command: Hashable, Sendable {
        /// Sends a request for the conversation with a person, or for none.
        case request(ChatRequest, with: Int?)
        /// Connects immediately instead of after the delay, even if the server had no inbox before.
        case reconnect
    }

    package enum Input: Hashable, Sendable {
        case start
        case stop
        case command(Command)
        /// The connection with this number is open.
        case opened(connection: Int)
        case frame(String, connection: Int)
        /// The connection was lost; the code is the server's close code, if it sent one.
        case lost(ChatError, code: Int?, connection: Int)
        case deadline(Deadline, serial: Int)
    }

    package enum Deadline: Hashable, Sendable {
        case reconnect
        /// The time limit for the list of conversations after the connection was opened.
        case firstFrame
        /// The time for which a hangup is queued while there is no connection.
        case hangUp
    }

    package enum Effect: Hashable, Sendable {
        case connect(connection: Int)
        case disconnect(connection: Int)
        case send(String, connection: Int)
        case startDeadline(Deadline, Duration, serial: Int)
        case report(InboxReport)
    }

    /// The close codes of servers that are only temporarily unavailable (RFC 6455 §7.4.1, and the IANA registry).
    private static let temporaryCodes: Set<Int> = [1001, 1011, 1012, 1013, 1014]
    /// The statuses of a refusal that may be temporary (RFC 9110 §15.5).
    private static let temporaryStatuses: Set<Int> = [401, 403, 408, 429]
    private static let firstFrameLimit = Duration.seconds(10)
    /// The time for which a hangup is queued; a call rings no longer than that.
    private static let hangUpLimit = Duration.seconds(45)

    package private(set) var state = InboxState()

    private let own: Int
    private var reconnection: Reconnection<Deadline>
    private var isStarted = false
    /// Whether a frame has been received on this connection.
    private var hasFrame = false
    private var hasHello = false
    /// A hangup that is queued until there is a connection, because the other side would otherwise continue to ring.
    private var hangUp: (request: ChatRequest, peer: Int?, serial: Int)?
    /// The newest messages of each conversation, used to count unread messages after a read mark.
    private var recent: [Int: [Recent]] = [:]

    private struct Recent: Hashable {
        let id: String
        let isMine: Bool
    }

    package init(own: Int, seed: UInt64) {
        self.own = own
        reconnection = Reconnection(seed: seed)
    }

    package mutating func handle(_ input: Input) -> [Effect] {
        var effects: [Effect] = []
        switch input {
        case .start:
            isStarted = true
            if reconnection.link == .stopped { connect(&effects) }
        case .stop:
            isStarted = false
            disconnect(&effects)
        case .command(.reconnect): reconnect(&effects)
        case .command(.request(let request, let peer)): send(request, with: peer, &effects)
        case .opened(let connection):
            guard reconnection.link == .opening(connection) else { break }
            start(.firstFrame, Self.firstFrameLimit, &effects)
        case .frame(let frame, let connection): handle(frame, connection, &effects)
        case .lost(let error, let code, let connection): lose(connection, error, code, &effects)
        case .deadline(.hangUp, let serial): if hangUp?.serial == serial { hangUp = nil }
        case .deadline(let deadline, let serial):
            if reconnection.end(deadline, serial: serial) { handle(deadline, &effects) }
        }
        return effects
    }

    // MARK: Connection

    private mutating func connect(_ effects: inout [Effect]) {
        (hasFrame, hasHello) = (false, false)
        if case .reconnecting = state.link {} else { state.link = .connecting }
        effects.append(.connect(connection: reconnection.open()))
    }

    private mutating func reconnect(_ effects: inout [Effect]) {
        switch reconnection.link {
        case .waiting: connect(&effects)
        case .stopped:
            guard isStarted else { return }
            state.isSupported = nil
            connect(&effects)
        case .opening, .ready: break
        }
    }

    private mutating func disconnect(_ effects: inout [Effect]) {
        if let connection = reconnection.stop() { effects.append(.disconnect(connection: connection)) }
        state.link = .closed
        state.presence = [:]
    }

    private mutating func start(_ deadline: Deadline, _ span: Duration, _ effects: inout [Effect]) {
        effects.append(.startDeadline(deadline, span, serial: reconnection.start(deadline)))
    }

    private mutating func handle(_ deadline: Deadline, _ effects: inout [Effect]) {
        switch deadline {
        case .reconnect: if reconnection.link == .waiting { connect(&effects) }
        case .firstFrame:
            guard let connection = reconnection.connection else { return }
            effects.append(.disconnect(connection: connection))
            lose(connection, .network("the server does not answer"), nil, &effects)
        // `handle(_:)` handles this deadline itself, because the deadline outlasts a lost connection.
        case .hangUp: break
        }
    }

    private mutating func lose(_ number: Int, _ error: ChatError, _ code: Int?, _ effects: inout [Effect]) {
        guard number == reconnection.connection else { return }
        guard !isRefusal(error, code) else {
            state.isSupported = false
            return disconnect(&effects)
        }
        guard code != 1000 else { return disconnect(&effects) }
        state.presence = [:]
        state.link = .reconnecting(error)
        start(.reconnect, reconnection.wait(), &effects)
    }

    /// Returns whether the connection ended in a way that indicates a server without an inbox.
    private func isRefusal(_ error: ChatError, _ code: Int?) -> Bool {
        // A server that had an inbox before still has one.
        guard state.isSupported != true, !hasFrame else { return false }
        if case .status(let status) = error {
            return (400..<500).contains(status) && !Self.temporaryStatuses.contains(status)
        }
        // An original server opens the connection, and closes it without sending a frame.
        return reconnection.isRunning(.firstFrame) && !(code.map(Self.temporaryCodes.contains) ?? false)
    }

    // MARK: Requests

    private mutating func send(_ request: ChatRequest, with peer: Int?, _ effects: inout [Effect]) {
        guard let connection = reconnection.readyConnection else {
            let error = state.isSupported == false ? ChatError.notSupported : .notConnected
            switch request {
            case .hangUp where isStarted && state.isSupported != false: keep(request, with: peer, &effects)
            case .call(let room): effects.append(.report(.callRefused(room: room, error)))
            default: break
            }
            if request.mattersToUser { effects.append(.report(.failed(error, of: request))) }
            return
        }
        effects.append(
            .send(ChatRequest.Envelope(request, with: peer).text, connection: connection)
        )
    }

    private mutating func keep(_ request: ChatRequest, with peer: Int?, _ effects: inout [Effect]) {
        let serial = reconnection.start(.hangUp)
        hangUp = (request, peer, serial)
        effects.append(.startDeadline(.hangUp, Self.hangUpLimit, serial: serial))
    }

    private mutating func sendHangUp(_ effects: inout [Effect]) {
        guard let (request, peer, _) = hangUp else { return }
        hangUp = nil
        send(request, with: peer, &effects)
    }

    // MARK: Frames

    private mutating func handle(_ frame: String, _ number: Int, _ effects: inout [Effect]) {
        guard number == reconnection.connection else { return }
        hasFrame = true
        let envelope: ChatEventEnvelope
        do throws(ChatError) {
            guard let read = try ChatEventEnvelope(frame) else { return }
            envelope = read
        } catch {
            effects.append(.report(.failed(error)))
            return
        }
        handle(envelope.event, with: envelope.with, &effects)
    }

    private mutating func handle(_ event: ChatEvent, with peer: Int?, _ effects: inout [Effect]) {
        switch event {
        case .hello: (hasHello, state.isSupported) = (true, true)
        case .conversations(let conversations):
            receive(conversations)
            sendHangUp(&effects)
        case .history:
            // An original server treats an inbox as a conversation.
            guard !hasHello else { return }
            state.isSupported = false
            disconnect(&effects)
        case .message(let message): receive(message, with: peer, &effects)
        case .edit(let id, let text, let from):
            changeLast(id, of: from) { ($0.text, $0.isEdited) = (text, true) }
        case .delete(let id, let from):
            changeLast(id, of: from) {
                ($0.text, $0.isDeleted, $0.media, $0.reactions) = ("", true, nil, [:])
            }
        case .read(let id, let from): if from == own, let peer { markRead(upTo: id, with: peer) }
        case .presence(let person, let isOnline):
            guard state.presence[person] != nil || state.presence.count < ChatLimits.presences else { return }
            state.presence[person] = isOnline
        case .call(let room, let from):
            if from != own { effects.append(.report(.call(room: room, from: from))) }
        case .blocked(let people): state.blocked = Set(people)
        case .reported(let person): effects.append(.report(.reported(person: person)))
        case .hangUp(let room, let from):
            if from != own {
                effects.append(.report(.hangUp(room: room, from: from)))
            } else if let peer {
                effects.append(.report(.callSettled(room: room, with: peer)))
            }
        case .found(let query, let messages): effects.append(.report(.found(query: query, messages)))
        case .error(let code, let message, let reference):
            let error = ChatError.refused(code: code, message: message)
            let room = reference.flatMap { Int($0) }
            if room != nil || code == "offline" { effects.append(.report(.callRefused(room: room, error))) }
            if let room {
                effects.append(.report(.failed(error, of: .call(room: room))))
            } else {
                effects.append(.report(.failed(error, message: reference)))
            }
        case .reaction, .typing, .delivered: break
        }
    }

    private mutating func receive(_ conversations: [ChatConversation]) {
        state.conversations = conversations
        // The list of blocked people follows in a frame of its own.
        state.blocked = []
        sort()
        state.conversations = Array(state.conversations.prefix(ChatLimits.conversations))
        // The presence of the people who are online follows in further frames.
        state.presence = Dictionary(
            state.conversations.map { ($0.with, false) },
            uniquingKeysWith: { first, _ in first }
        )
        recent = [:]
        for conversation in state.conversations {
            if let last = conversation.last { note(last, conversation.with) }
        }
        reconnection.cancel(.firstFrame)
        reconnection.setReady()
        if state.link != .open { state.openings += 1 }
        state.link = .open
    }

    private mutating func receive(_ message: ChatMessage, with peer: Int?, _ effects: inout [Effect]) {
        let isMine = message.isFrom(own, name: nil)
        guard let peer = peer ?? (isMine ? message.toID : message.fromID), peer != own else { return }
        if isMine { effects.append(.report(.stored(message, with: peer))) }
        // A message that was resent may be received twice.
        guard !(recent[peer]?.contains { $0.id == message.id } ?? false) else { return }
        note(message, peer)
        let known = state.conversations.firstIndex { $0.with == peer }
        var conversation =
            known.map { state.conversations.remove(at: $0) }
            ?? ChatConversation(with: peer, last: nil, unread: 0)
        conversation.last = message.preview
        if !isMine { conversation.unread = min(conversation.unread + 1, ChatLimits.unread) }
        state.conversations.insert(conversation, at: 0)
        if state.conversations.count > ChatLimits.conversations {
            recent[state.conversations.removeLast().with] = nil
        }
        if !isMine { effects.append(.report(.received(message, with: peer))) }
    }

    private mutating func note(_ message: ChatMessage, _ peer: Int) {
        guard let id = message.id else { return }
        recent[peer, default: []].append(Recent(id: id, isMine: message.isFrom(own, name: nil)))
        if recent[peer, default: []].count > ChatLimits.kept { recent[peer]?.removeFirst() }
    }

    /// Updates the unread count; a mark before all known messages changes nothing.
    private mutating func markRead(upTo id: String, with peer: Int) {
        guard let index = state.conversations.firstIndex(where: { $0.with == peer }),
            let messages = recent[peer], let position = messages.firstIndex(where: { $0.id == id })
        else { return }
        state.conversations[index].unread = messages[(position + 1)...].count { !$0.isMine }
    }

    private mutating func changeLast(_ id: String, of sender: Int, _ body: (inout ChatMessage) -> Void) {
        for index in state.conversations.indices {
            guard var last = state.conversations[index].last, last.id == id, last.fromID == sender else {
                continue
            }
            body(&last)
            state.conversations[index].last = last.preview
        }
    }

    private mutating func sort() {
        let never = ChatTime(microseconds: .min)
        state.conversations.sort { left, right in
            let (first, second) = (left.last?.time ?? never, right.last?.time ?? never)
            return first == second ? left.with < right.with : first > second
        }
    }
}
