internal import ChatCore
internal import GRDB

extension ChatTables {
    /// Performs an operation.
    package func perform(_ operation: ChatOperation) throws -> ChatOutcome {
        switch operation {
        case .name(let names): try done { for (person, name) in names { try note(name, of: person) } }
        case .open(let person, let peer, let limit, let isReader):
            try open(person, peer, limit: limit, isReader: isReader)
        case .inbox(let person):
            .inbox(try conversations(of: person), delivered: try deliverAll(to: person))
        case .page(let person, let peer, let before, let limit):
            try page(person, peer, before: before, limit: limit)
        case .message(let draft): try store(draft)
        case .edit(let id, let text, let person, let peer):
            try change(id, of: person, peer) { number in
                guard hasRoom else { return .refused(.full(id)) }
                try setText(text, of: number, isDeleted: false)
                return .edited(text: text)
            }
        case .delete(let id, let person, let peer):
            try change(id, of: person, peer) { number in
                .deleted(file: try setText("", of: number, isDeleted: true))
            }
        case .reaction(let id, let reaction, let isAdded, let person, let peer):
            try react(id, reaction, isAdded: isAdded, person, peer)
        case .read(let id, let person, let peer): try read(id, person, peer)
        case .block(let person, let blocked, let isBlocked):
            try done { try setBlock(blocked, by: person, isBlocked) }
        case .report(let person, let reported, let reason):
            try done { try addReport(of: reported, by: person, reason: reason) }
        case .search(let person, let query):
            try search(query, person: person).map { .found($0) }
                ?? .refused(
                    .init("busy", "the search takes too long; enter more letters to find fewer messages")
                )
        }
    }

    private func done(_ body: () throws -> Void) throws -> ChatOutcome {
        try body()
        return .done
    }

    private static func unknown(_ id: String) -> ChatOutcome {
        .refused(.init("not_found", "there is no such message in this conversation", reference: id))
    }

    private func open(_ person: Int, _ peer: Int, limit: Int, isReader: Bool) throws -> ChatOutcome {
        try begin(person, with: peer)
        var marks = ChatMarks()
        if let mine = try member(person, peer) {
            let last = try id(of: mine.last)
            if mine.delivered < mine.last { marks.newlyDelivered = last }
            if isReader, mine.read < mine.last { marks.newlyRead = last }
        }
        try deliver(to: person, from: peer, isReader: isReader)
        if let theirs = try member(peer, person) {
            (marks.read, marks.delivered) = (try id(of: theirs.read), try id(of: theirs.delivered))
        }
        return .opened(try page(ChatPair(person, peer), before: nil, limit: limit), marks)
    }

    private func page(_ person: Int, _ peer: Int, before: String?, limit: Int) throws -> ChatOutcome {
        let pair = ChatPair(person, peer)
        guard let before else { return .page(try page(pair, before: nil, limit: limit)) }
        guard let number = try number(of: before, in: pair) else { return Self.unknown(before) }
        return .page(try page(pair, before: number, limit: limit))
    }

    private func store(_ draft: ChatDraft) throws -> ChatOutcome {
        let refusal = try refusal(of: draft)
        if refusal == nil, let message = try add(draft) { return .message(message, isNew: true) }
        if let known = try message(draft.id) {
            guard known.fromID == draft.sender, known.toID == draft.recipient else {
                return .refused(.init("id_taken", "another message has this ID", reference: draft.id))
            }
            return .message(known, isNew: false)
        }
        return .refused(refusal ?? .init("busy", "the message was not stored", reference: draft.id))
    }

    /// Returns the reason why a new message must not be stored; nil if there is none.
    private func refusal(of draft: ChatDraft) throws -> ChatRequest.Refusal? {
        guard hasRoom else { return .full(draft.id) }
        // When a WebSocket for one conversation is opened, the account is checked, but messages over an inbox
        // may name any person.
        if PersonKind(draft.recipient) == .account, try member(draft.sender, draft.recipient) == nil {
            return .init("no_person", "there is no conversation with this person", reference: draft.id)
        }
        if try isDeleted(draft.recipient) {
            return .init("blocked", "this person does not receive your messages", reference: draft.id)
        }
        let pair = ChatPair(draft.sender, draft.recipient)
        if let replyTo = draft.replyTo, try number(of: replyTo, in: pair) == nil {
            return .init("not_found", "“replyTo” names no message of this conversation", reference: draft.id)
        }
        if let media = draft.media, try self.media(media)?.owner != draft.sender {
            return .init("no_media", "you have not uploaded a file with this ID", reference: draft.id)
        }
        return nil
    }

    /// Changes a message that the person has sent.
    private func change(
        _ id: String,
        of person: Int,
        _ peer: Int,
        _ body: (Int64) throws -> ChatOutcome
    ) throws -> ChatOutcome {
        guard let number = try number(of: id, in: ChatPair(person, peer)), let known = try message(id) else {
            return Self.unknown(id)
        }
        guard known.fromID == person, !known.isAutomatic else {
            return .refused(
                .init("not_yours", "a message can be changed only by the person who wrote it", reference: id)
            )
        }
        guard !known.isDeleted else {
            return .refused(.init("deleted", "the message was deleted", reference: id))
        }
        return try body(number)
    }

    private func react(
        _ id: String,
        _ reaction: ChatReaction,
        isAdded: Bool,
        _ person: Int,
        _ peer: Int
    ) throws -> ChatOutcome {
        guard let number = try number(of: id, in: ChatPair(person, peer)) else { return Self.unknown(id) }
        guard try message(id)?.isDeleted == false else {
            return .refused(.init("deleted", "the message was deleted", reference: id))
        }
        try setReaction(reaction, of: person, to: number, isAdded: isAdded)
        return .reaction
    }

    private func read(_ id: String, _ person: Int, _ peer: Int) throws -> ChatOutcome {
        guard let number = try number(of: id, in: ChatPair(person, peer)) else { return Self.unknown(id) }
        let isNew = try member(person, peer).map { $0.read < number } ?? false
        if isNew { try setRead(number, person: person, peer: peer) }
        return .read(isNew: isNew)
    }
}

extension ChatRequest.Refusal {
    fileprivate static func full(_ id: String) -> ChatRequest.Refusal {
        .init("full", "the disk of the server is full", reference: id)
    }
}
