internal import ChatCore

extension ChatHub {
    /// Handles the outcome of an operation.
    package mutating func finish(_ ticket: ChatTicket, _ outcome: ChatOutcome) -> [Effect] {
        end(ticket)
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
            guard isNew, case .read(let id) = ticket.request else { break }
            let event = ChatEvent.read(id: id, from: ticket.person)
            tell(event, to: ticket.person, of: ticket.peer, &effects)
            // The read marks of a blocked person are not sent to the person who has blocked them.
            if !isBlocked(ticket.person, by: ticket.peer) {
                tellUnlessHidden(event, to: ticket.peer, of: ticket.person, &effects)
            }
        case .found(let messages):
            if let socket = ticket.socket, case .search(let query) = ticket.request {
                send(.found(query: query, messages), socket, of: nil, &effects)
            }
        case .done: didFinish(ticket, &effects)
        }
        return effects
    }

    /// Closes the sockets of operations that could not be performed because the storage failed.
    ///
    /// The caller must pass all pending operations in order, because messages after a lost one would otherwise be
    /// stored before the lost one is resent.
    package mutating func fail(_ tickets: [ChatTicket]) -> [Effect] {
        var effects: [Effect] = []
        // The last change is undone first.
        for ticket in tickets.reversed() {
            end(ticket)
            switch ticket.request {
            case .block(let other): setBlock(other, by: ticket.person, false, &effects)
            case .unblock(let other): setBlock(other, by: ticket.person, true, &effects)
            default: break
            }
        }
        // The clients reconnect and resend unconfirmed messages.
        for socket in Set(tickets.compactMap(\.socket)).sorted() where roster[socket] != nil {
            effects.append(.close(socket, 1011))
        }
        return effects
    }

    /// Lets a simulated person reply now, unless a real client is connected as this person.
    package mutating func reply(from person: Int, to peer: Int) -> [Effect] {
        var effects: [Effect] = []
        guard simulated.isOnline(person), !isConnected(person), !isBlocked(person, by: peer), !isBusy else {
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
        guard let id = ticket.socket, let seat = roster[id]?.seat, let peer = seat.peer else { return }
        roster.setReady(id)
        if seat.isExtended { _ = roster.watch(peer, by: id) }
        send(.history(page.messages, before: nil, hasMore: page.hasMore), id, of: peer, &effects)
        if !hidesPresence(of: peer, from: seat.person) {
            if let last = marks.delivered { send(.delivered(id: last, to: peer), id, of: peer, &effects) }
            if let last = marks.read { send(.read(id: last, from: peer), id, of: peer, &effects) }
        }
        let isOnline = isOnline(peer, for: seat.person)
        send(.presence(person: peer, isOnline: isOnline), id, of: peer, &effects)
        if let last = marks.newlyDelivered {
            tellUnlessHidden(.delivered(id: last, to: seat.person), to: peer, of: seat.person, &effects)
        }
        if let last = marks.newlyRead {
            tellUnlessHidden(.read(id: last, from: seat.person), to: peer, of: seat.person, &effects)
        }
    }

    private mutating func didOpenInbox(
        _ ticket: ChatTicket,
        _ conversations: [ChatConversation],
        _ delivered: [Int: String],
        _ effects: inout [Effect]
    ) {
        guard let id = ticket.socket, let person = roster[id]?.seat.person else { return }
        roster.setReady(id)
        send(.conversations(conversations), id, of: nil, &effects)
        if blocks[person] != nil { send(.blocked(blocked(by: person)), id, of: nil, &effects) }
        for conversation in conversations { watch(conversation.with, by: id, person, &effects) }
        for (peer, last) in delivered.sorted(by: { $0.key < $1.key }) {
            tellUnlessHidden(.delivered(id: last, to: person), to: peer, of: person, &effects)
        }
    }

    /// Confirms a block, an unblock or a report to the person who has requested it.
    private mutating func didFinish(_ ticket: ChatTicket, _ effects: inout [Effect]) {
        switch ticket.request {
        case .block, .unblock:
            let event = ChatEvent.blocked(blocked(by: ticket.person))
            for inbox in roster.inboxes(of: ticket.person) { send(event, inbox, of: nil, &effects) }
        case .report(let person, _):
            if let socket = ticket.socket { send(.reported(person: person), socket, of: nil, &effects) }
        default: break
        }
    }

    private func blocked(by person: Int) -> [Int] { blocks[person, default: []].sorted() }

    /// Starts to report the presence of `peer` to an inbox.
    private mutating func watch(_ peer: Int, by id: SocketID, _ person: Int, _ effects: inout [Effect]) {
        guard roster.watch(peer, by: id), isOnline(peer, for: person) else { return }
        send(.presence(person: peer, isOnline: true), id, of: peer, &effects)
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
        storedMessages += 1
        tellBoth(.message(message), ticket, &effects)
        for (person, peer) in [(ticket.person, ticket.peer), (ticket.peer, ticket.person)] {
            for socket in roster.inboxes(of: person) { watch(peer, by: socket, person, &effects) }
        }
        if roster.hasSocket(ticket.peer, for: ticket.person), let id = message.id {
            let event = ChatEvent.delivered(id: id, to: ticket.peer)
            tellUnlessHidden(event, to: ticket.person, of: ticket.peer, &effects)
        }
        guard !message.isAutomatic, simulated.isOnline(ticket.peer), !isConnected(ticket.peer) else { return }
        let delay = simulated.delay(settings.replyDelay)
        if delay > .zero { tell(.typing(from: ticket.peer), to: ticket.person, of: ticket.peer, &effects) }
        effects.append(.reply(from: ticket.peer, to: ticket.person, after: delay))
    }
}

extension ChatHub {
    /// Records whether a person blocks another one, and reports the resulting changes of presence to those who see
    /// them.
    mutating func setBlock(_ other: Int, by person: Int, _ isBlocked: Bool, _ effects: inout [Effect]) {
        let viewers = Set(roster.watchers(of: person).compactMap { roster[$0]?.seat.person } + [other])
            .sorted()
        let wasOnline = viewers.map { isOnline(person, for: $0) }
        if isBlocked { blocks[person, default: []].insert(other) } else { blocks[person]?.remove(other) }
        if blocks[person]?.isEmpty ?? false { blocks[person] = nil }
        for (viewer, wasOnline) in zip(viewers, wasOnline) {
            let isOnline = isOnline(person, for: viewer)
            guard isOnline != wasOnline else { continue }
            tell(.presence(person: person, isOnline: isOnline), to: viewer, of: person, &effects)
        }
    }

    /// Reports a person's presence to all watching sockets.
    func tellPresence(of person: Int, _ effects: inout [Effect]) {
        for id in roster.watchers(of: person) {
            // A viewer from whom the presence is hidden has already been notified that the person is offline.
            guard let viewer = roster[id]?.seat.person, !hidesPresence(of: person, from: viewer) else {
                continue
            }
            let event = ChatEvent.presence(person: person, isOnline: isOnline(person, for: viewer))
            send(event, id, of: person, &effects)
        }
    }

    /// Sends an event of the conversation with `peer` to one socket, if the socket is ready.
    func send(_ event: ChatEvent, _ id: SocketID, of peer: Int?, _ effects: inout [Effect]) {
        guard let socket = roster[id], socket.isReady else { return }
        var frames = ChatFrames(event)
        if let text = frames.text(for: socket.seat, of: peer) { effects.append(.send(text, [id])) }
    }

    /// Sends an event of the conversation with `peer` to all sockets of a person that receive such events.
    func tell(_ event: ChatEvent, to person: Int, of peer: Int, _ effects: inout [Effect]) {
        var frames = ChatFrames(event)
        tell(&frames, [(person, peer)], &effects)
    }

    /// Sends an event of the conversation with `peer` to all inboxes of a person except one socket.
    func tellOthers(
        _ event: ChatEvent,
        of person: Int,
        with peer: Int,
        but id: SocketID,
        _ effects: inout [Effect]
    ) {
        for inbox in roster.inboxes(of: person) where inbox != id { send(event, inbox, of: peer, &effects) }
    }

    /// Sends an event that reveals that `peer` is online, unless the presence of `peer` is hidden from the person.
    func tellUnlessHidden(_ event: ChatEvent, to person: Int, of peer: Int, _ effects: inout [Effect]) {
        if !hidesPresence(of: peer, from: person) { tell(event, to: person, of: peer, &effects) }
    }

    /// Sends an event to both people of a ticket, on all sockets that receive events of their conversation.
    func tellBoth(_ event: ChatEvent, _ ticket: ChatTicket, _ effects: inout [Effect]) {
        var frames = ChatFrames(event)
        tell(&frames, [(ticket.person, ticket.peer), (ticket.peer, ticket.person)], &effects)
    }

    private func tell(_ frames: inout ChatFrames, _ people: [(Int, Int)], _ effects: inout [Effect]) {
        var (texts, ids): ([String], [[SocketID]]) = ([], [])
        for (person, peer) in people {
            for (id, socket) in roster.sockets(of: person, for: peer) {
                guard let text = frames.text(for: socket.seat, of: peer) else { continue }
                if let last = texts.indices.last(where: { texts[$0] == text }) {
                    ids[last].append(id)
                } else {
                    texts.append(text)
                    ids.append([id])
                }
            }
        }
        for (text, ids) in zip(texts, ids) { effects.append(.send(text, ids)) }
    }
}
