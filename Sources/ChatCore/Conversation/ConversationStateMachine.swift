internal import Basics

/// The state machine of one conversation of a client: its connection, its messages and its unconfirmed messages.
package struct ConversationStateMachine: Sendable {
    package enum Command: Hashable, Sendable {
        /// Sends a message, unless it has neither text nor media; the ID must be new.
        case send(id: String, text: String, media: ChatMedia?, replyTo: String?, at: ChatTime)
        /// Sends a failed message again.
        case retry(key: String)
        /// Deletes a failed message.
        case discard(key: String)
        /// Sends any other request; without a connection, the request is discarded.
        case request(ChatRequest)
        case loadOlder
        /// Connects immediately instead of after the delay.
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
        /// The time limit for the confirmation of a sent message.
        case confirmation
        /// The time after which the other person no longer counts as typing.
        case typing
        /// The delay before resending messages that the server refused because they came too fast.
        case pace
        /// The time limit for the first frame after the connection was opened.
        case firstFrame
    }

    package enum Effect: Hashable, Sendable {
        case connect(connection: Int)
        case disconnect(connection: Int)
        case send(String, connection: Int)
        case startDeadline(Deadline, Duration, serial: Int)
        case report(ConversationReport)
        /// Stores the outgoing messages before the next effect is performed.
        case keep([OutgoingMessage])
    }

    /// The time within which the server must confirm a message.
    package static let confirmationLimit = Duration.seconds(10)
    private static let typingTime = Duration.seconds(5)
    private static let pace = Duration.seconds(1)

    package private(set) var state = ConversationState()
    /// The user's own messages that the server has not confirmed, in order.
    package private(set) var outbox: Outbox

    private let own: Int
    private let peer: Int
    private let ownName: String?
    private var transcript: Transcript
    /// The connections; a connection is ready, and messages may be sent, once the history has arrived.
    private var reconnection: Reconnection<Deadline>
    /// The ID of the message before which older ones were requested; nil if no request is pending.
    private var askedBefore: String?
    /// Whether a server with the extended protocol has sent a history since the start.
    private var hasHistory = false
    /// Whether the server has sent `hello` on this connection; original servers do not send it.
    private var hasHello = false

    /// Creates a conversation of two people.
    ///
    /// `name` is the user's own name, by which messages of an original server are attributed, because they have no
    /// sender IDs.
    package init(
        own: Int,
        name: String?,
        peer: Int,
        kept: [ChatMessage] = [],
        outbox: [OutgoingMessage] = [],
        mode: ConversationState.Mode? = nil,
        seed: UInt64
    ) {
        (self.own, ownName, self.peer, self.outbox) = (own, name, peer, Outbox(outbox))
        reconnection = Reconnection(seed: seed)
        // It is unknown whether an original server has received the messages that were sent before.
        if mode != .extended { self.outbox.giveUp(includingUnsent: true) }
        transcript = Transcript(own: own, name: name)
        transcript.replace(by: kept)
        state.mode = mode
        state.isLoaded = !kept.isEmpty
        show()
    }

    package mutating func handle(_ input: Input) -> [Effect] {
        var effects: [Effect] = []
        switch input {
        case .start: if reconnection.link == .stopped { connect(&effects) }
        case .stop: stop(&effects)
        case .command(let command): handle(command, &effects)
        case .opened(let connection):
            if reconnection.link == .opening(connection) {
                start(.firstFrame, Self.confirmationLimit, &effects)
            }
        case .frame(let frame, let connection): handle(frame, connection, &effects)
        case .lost(let error, let code, let connection): lose(connection, error, code, &effects)
        case .deadline(let deadline, let serial):
            if reconnection.end(deadline, serial: serial) { handle(deadline, &effects) }
        }
        show()
        return effects
    }

    // MARK: Connection

    private mutating func connect(_ effects: inout [Effect]) {
        hasHello = false
        if case .reconnecting = state.link {} else { state.link = .connecting }
        effects.append(.connect(connection: reconnection.open()))
    }

    private mutating func stop(_ effects: inout [Effect]) {
        if let connection = reconnection.stop() { effects.append(.disconnect(connection: connection)) }
        // The next connection must not resend messages that an original server may have received.
        if state.mode != .extended, outbox.giveUp() { keep(&effects) }
        state.link = .closed
        (state.isPeerTyping, state.isLoadingOlder, askedBefore) = (false, false, nil)
    }

    private mutating func lose(_ number: Int, _ error: ChatError, _ code: Int?, _ effects: inout [Effect]) {
        guard number == reconnection.connection else { return }
        (state.isPeerTyping, state.isLoadingOlder, askedBefore) = (false, false, nil)
        // It is unknown which messages an original server has received; its next history may show it.
        if state.mode != .extended, outbox.giveUp() { keep(&effects) }
        guard code != 1000 else {
            _ = reconnection.stop()
            state.link = .closed
            return
        }
        let wait = reconnection.wait()
        state.link = .reconnecting(error)
        effects.append(.report(.reconnecting(error, after: wait)))
        start(.reconnect, wait, &effects)
    }

    private mutating func start(_ deadline: Deadline, _ span: Duration, _ effects: inout [Effect]) {
        effects.append(.startDeadline(deadline, span, serial: reconnection.start(deadline)))
    }

    private mutating func handle(_ deadline: Deadline, _ effects: inout [Effect]) {
        switch deadline {
        case .reconnect: if reconnection.link == .waiting { connect(&effects) }
        case .typing: state.isPeerTyping = false
        case .pace: sendOutbox(&effects)
        case .confirmation, .firstFrame:
            guard let connection = reconnection.connection else { return }
            effects.append(.disconnect(connection: connection))
            lose(connection, .network("the server does not answer"), nil, &effects)
        }
    }

    // MARK: Commands

    private mutating func handle(_ command: Command, _ effects: inout [Effect]) {
        switch command {
        case .send(let id, let text, let media, let replyTo, let time):
            let message = OutgoingMessage(
                id: id,
                text: text.trimmed,
                media: media,
                replyTo: replyTo,
                time: time
            )
            guard !message.text.isEmpty || media != nil else { return }
            state.acceptedMessages += 1
            send(message, &effects)
        case .retry(let key):
            guard var message = outbox.removeFailed(key) else { return }
            (message.failure, message.sentBy) = (nil, nil)
            send(message, &effects)
        case .discard(let key): if outbox.removeFailed(key) != nil { keep(&effects) }
        case .request(let request):
            guard let connection = reconnection.readyConnection, state.mode == .extended else {
                if request.mattersToUser {
                    let error = state.mode == .plain ? ChatError.notSupported : .notConnected
                    effects.append(.report(.failed(error)))
                }
                return
            }
            effects.append(.send(ChatRequest.Envelope(request).text, connection: connection))
        case .loadOlder:
            guard let connection = reconnection.readyConnection, state.mode == .extended, state.hasMore,
                !state.isLoadingOlder, let first = transcript.items.first?.message.id
            else { return }
            (askedBefore, state.isLoadingOlder) = (first, true)
            let request = ChatRequest.history(before: first, limit: ChatLimits.page)
            effects.append(.send(ChatRequest.Envelope(request).text, connection: connection))
        case .reconnect: if reconnection.link == .waiting { connect(&effects) }
        }
    }

    /// Appends a message to the outbox and sends it if possible.
    private mutating func send(_ message: OutgoingMessage, _ effects: inout [Effect]) {
        var message = message
        message.failure = refusal(of: message)
        outbox.append(message)
        keep(&effects)
        if let error = message.failure {
            effects.append(.report(message.notSent(error)))
        } else {
            sendOutbox(&effects)
        }
    }

    private func keep(_ effects: inout [Effect]) { effects.append(.keep(outbox.messages)) }

    private func refusal(of message: OutgoingMessage) -> ChatError? {
        guard ChatLimits.allows(message.text) else { return .tooLong }
        guard !outbox.isFull else { return .outboxFull }
        guard state.mode == .extended else {
            guard message.media == nil, message.replyTo == nil || state.mode == nil else {
                return .notSupported
            }
            guard reconnection.readyConnection != nil else { return .notConnected }
            return nil
        }
        return nil
    }

    /// Sends queued messages, up to the maximum number of unconfirmed ones.
    private mutating func sendOutbox(_ effects: inout [Effect]) {
        guard let connection = reconnection.readyConnection, !reconnection.isRunning(.pace) else { return }
        let messages = outbox.next(for: connection)
        for message in messages {
            let frame =
                state.mode == .extended ? ChatRequest.Envelope(message.request).text : message.text
            effects.append(.send(frame, connection: connection))
        }
        if !messages.isEmpty { start(.confirmation, Self.confirmationLimit, &effects) }
    }

    // MARK: Frames

    private mutating func handle(_ frame: String, _ number: Int, _ effects: inout [Effect]) {
        guard number == reconnection.connection else { return }
        let event: ChatEvent
        do throws(ChatError) {
            // An unknown type is ignored.
            guard let envelope = try ChatEventEnvelope(frame) else { return }
            event = envelope.event
        } catch {
            effects.append(.report(.failed(error)))
            return
        }
        switch event {
        case .hello(_, let isPeerSimulated):
            (hasHello, state.mode, state.isPeerSimulated) = (true, .extended, isPeerSimulated)
        case .history(let messages, let before, let hasMore):
            receiveHistory(messages, before: before, hasMore: hasMore, &effects)
        case .message(let message): receive(message, &effects)
        case .edit(let id, let text, let from):
            changeMessage(id, of: from) { ($0.text, $0.isEdited) = (text, true) }
        case .delete(let id, let from):
            changeMessage(id, of: from) {
                ($0.text, $0.isDeleted, $0.media, $0.reactions) = ("", true, nil, [:])
            }
        case .reaction(let id, let reaction, let isAdded, let from):
            // Others are not in this conversation.
            guard from == own || from == peer else { return }
            transcript.change(id) { message in
                var people = message.reactions[reaction, default: []].filter { $0 != from }
                if isAdded { people.append(from) }
                message.reactions[reaction] = people.isEmpty ? nil : people
            }
        case .typing(let from):
            guard from == peer else { return }
            state.isPeerTyping = true
            start(.typing, Self.typingTime, &effects)
        case .read(let id, let from): if from == peer { transcript.mark(upTo: id, \.isRead) }
        case .delivered(let id, let person):
            if person == peer { transcript.mark(upTo: id, \.isDelivered) }
        case .presence(let person, let isOnline): if person == peer { state.isPeerOnline = isOnline }
        case .call(let room, let from): if from == peer { effects.append(.report(.call(room: room))) }
        case .found(let query, let messages): effects.append(.report(.found(query: query, messages)))
        case .conversations, .blocked, .reported, .hangUp: break
        case .error(let code, let message, let reference):
            fail(.refused(code: code, message: message), code, reference, &effects)
        }
    }

    private mutating func changeMessage(_ id: String, of sender: Int, _ body: (inout ChatMessage) -> Void) {
        transcript.change(id) { message in if message.fromID == sender { body(&message) } }
    }

    private mutating func receiveHistory(
        _ messages: [ChatMessage],
        before: String?,
        hasMore: Bool,
        _ effects: inout [Effect]
    ) {
        guard before == nil else {
            // Older messages are accepted only as the answer to a request of this client.
            guard let asked = askedBefore, before == asked else { return }
            (askedBefore, state.isLoadingOlder) = (nil, false)
            guard before == transcript.items.first?.message.id else { return }
            transcript.prepend(messages)
            state.hasMore = hasMore
            return
        }
        if !hasHello, state.mode != .plain {
            state.mode = .plain
            if outbox.giveUp(includingUnsent: true) { keep(&effects) }
        }
        var new: [ChatMessage] = []
        let wasLoaded = state.isLoaded
        if state.mode == .extended {
            let first = transcript.items.first?.message.id
            new = transcript.merge(newest: messages)
            if first == nil || transcript.items.first?.message.id != first || first == messages.first?.id {
                state.hasMore = hasMore
            } else if !hasHistory {
                // It is not known yet whether the server has messages before the stored ones.
                state.hasMore = true
            }
            hasHistory = true
        } else {
            let known = transcript.items.map(\.key)
            transcript.replace(by: messages)
            let keys = Set(known)
            new = transcript.items.filter { !keys.contains($0.key) }.map(\.message)
            state.hasMore = false
        }
        if transcript.trim() { state.hasMore = state.mode == .extended }
        state.isLoaded = true
        reconnection.cancel(.firstFrame)
        reconnection.setReady()
        state.link = .open
        confirm(new, &effects)
        if wasLoaded {
            for message in new where !message.isFrom(own, name: ownName) {
                effects.append(.report(.received(message)))
            }
        }
        sendOutbox(&effects)
    }

    private mutating func receive(_ message: ChatMessage, _ effects: inout [Effect]) {
        let isMine = message.isFrom(own, name: ownName)
        let isNew = isMine ? transcript.insert(message) : transcript.append(message)
        if isMine {
            confirm([message], &effects)
            sendOutbox(&effects)
        } else if isNew {
            state.isPeerTyping = false
            effects.append(.report(.received(message)))
        }
        if transcript.trim() { state.hasMore = state.mode == .extended }
    }

    /// Removes messages from the outbox that the server has stored.
    private mutating func confirm(_ messages: [ChatMessage], _ effects: inout [Effect]) {
        let stored = messages.filter { message in
            guard message.isFrom(own, name: ownName), !message.isAutomatic else { return false }
            return outbox.confirm(message)
        }
        guard !stored.isEmpty else { return }
        for message in stored { effects.append(.report(.stored(message))) }
        keep(&effects)
        awaitConfirmation(&effects)
    }

    /// Restarts the confirmation deadline if a sent message is unconfirmed; otherwise cancels it.
    private mutating func awaitConfirmation(_ effects: inout [Effect]) {
        if let connection = reconnection.connection, outbox.isWaiting(for: connection) {
            start(.confirmation, Self.confirmationLimit, &effects)
        } else {
            reconnection.cancel(.confirmation)
        }
    }

    private mutating func fail(
        _ error: ChatError,
        _ code: String,
        _ reference: String?,
        _ effects: inout [Effect]
    ) {
        if code == "not_found" || code == "bad_id" { state.isLoadingOlder = false }
        if code == "too_fast" || code == "busy", let reference, outbox.sendAgain(reference) {
            start(.pace, Self.pace, &effects)
        } else if let reference, let message = outbox.fail(reference, error) {
            keep(&effects)
            effects.append(.report(message.notSent(error)))
            awaitConfirmation(&effects)
            sendOutbox(&effects)
        } else if code == "too_fast" || code == "busy", state.isLoadingOlder {
            state.isLoadingOlder = false
        } else if code != "too_fast" || reference != nil {
            // Without a reference, the refused request was a typing notification, whose failure is not reported.
            effects.append(.report(.failed(error)))
        }
    }

    // MARK: State

    /// The newest messages from the server, to be stored.
    package var messagesToKeep: [ChatMessage] { transcript.items.suffix(ChatLimits.kept).map(\.message) }

    /// A number that changes whenever `messagesToKeep` may have changed.
    var messagesRevision: Int { transcript.revision }

    private mutating func show() {
        // If there are no unconfirmed messages, the items are not copied.
        state.items =
            outbox.messages.isEmpty ? transcript.items : transcript.items + outbox.messages.map(item)
        state.waitingMessages = outbox.messages.count { $0.failure == nil }
    }

    private func item(_ outgoing: OutgoingMessage) -> ChatItem {
        var message = ChatMessage(
            from: ownName ?? String(own),
            to: String(peer),
            text: outgoing.text,
            time: outgoing.time
        )
        (message.id, message.fromID, message.toID) = (outgoing.id, own, peer)
        (message.media, message.replyTo) = (outgoing.media, outgoing.replyTo)
        let progress: ChatItem.Progress
        if let failure = outgoing.failure {
            progress = .notSent(failure)
        } else {
            let isSent = outgoing.sentBy != nil && outgoing.sentBy == reconnection.connection
            progress = isSent ? .sending : .waiting
        }
        return ChatItem(key: outgoing.id, message: message, progress: progress, isMine: true)
    }
}

extension String {
    /// The text without leading and trailing white space.
    package var trimmed: String {
        // Scalars are compared, because iterating backward over characters is slow for some texts.
        let rest = unicodeScalars.drop(while: \.properties.isWhitespace)
        guard let last = rest.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
        return String(rest[...last])
    }
}
