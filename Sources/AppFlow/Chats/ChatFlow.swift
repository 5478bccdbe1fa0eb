internal import Basics
internal import ChatCore
internal import LiveCore

/// The flow of the chat, which fetches the people and runs the open conversation.
@MainActor package final class ChatFlow {
    /// The server and the user of a chat.
    private struct Place: Equatable, Sendable {
        let settings: AppSettings
        let user: ChatUser?
    }

    /// The state of the inbox, and the number of the session to which it belongs.
    struct InboxOfSession: Hashable, Sendable {
        var session = 0
        var state = InboxState()
    }

    /// The chat of one user on one server.
    struct Session: Sendable {
        let seat: ChatSeat
        let inbox: Inbox
        let fetches = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let files = AsyncStream.makeStream(of: ChatsViewModel.FileRequest.self)
        let openings = AsyncStream.makeStream(of: Conversation.self)
        /// The incoming calls and their ends, in order; while 1024 of them wait, further ones are dropped.
        let rings = AsyncStream.makeStream(of: InboxReport.self, bufferingPolicy: .bufferingOldest(1024))
        /// The requests to repeat searches and messages after a pause.
        let pauses = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// The pause before a temporarily refused search or message is sent again.
    private static let pause = Duration.seconds(1)
    /// The time limit for looking up a caller who is not in the list; after it, the call rings with the caller's
    /// number.
    private static let nameLimit = Duration.seconds(2)

    package nonisolated let model: ChatsViewModel
    /// The events that concern calls, for a single reader.
    nonisolated let calls = AsyncStream.makeStream(of: ChatCallEvent.self)
    /// The state of the inbox; its initial state while no session runs.
    nonisolated let inbox = StateStore(InboxOfSession())
    let services: any AppServices
    /// The player of audio; nil if the app has none.
    let player: LivePlayer?
    let settings: SettingsViewModel
    private let clock: any Clock<Duration>
    private let requests: AsyncStream<ChatsViewModel.Request>
    private let user = StateStore<ChatUser?>(nil)
    /// A stream without elements that finishes when the flow must end.
    private let hold = AsyncStream.makeStream(of: Never.self)
    private(set) var session: Session?
    private(set) var conversation: Conversation?
    /// The voice message being recorded; its recording ends when the stream finishes.
    private var recording: (id: String, end: AsyncStream<Never>.Continuation)?
    /// The ID of the last message of the open conversation that was reported to the server as read.
    private var lastRead: String?
    private let isInFront: StateStore<Bool>
    /// Whether the screen has been shown; before that, the app starts no server of its own.
    private let isWanted = StateStore(false)
    private var last: Place?

    nonisolated init(
        services: any AppServices,
        settings: SettingsViewModel,
        player: LivePlayer? = nil,
        isInFront: StateStore<Bool> = StateStore(true),
        clock: any Clock<Duration>,
        now: @escaping @Sendable () -> Timestamp
    ) {
        (self.isInFront, self.player) = (isInFront, player)
        let (requests, continuation) = AsyncStream.makeStream(of: ChatsViewModel.Request.self)
        (self.services, self.settings, self.clock, self.requests) = (services, settings, clock, requests)
        model = ChatsViewModel(now: now) { continuation.yield($0) }
    }

    nonisolated var store: StateStore<ChatsViewModel.State> { model.store }

    /// Runs the chat of the current server and user until `finish()` is called.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.followPlaces() }
            group.addTask { for await request in self.requests { await self.handle(request) } }
            if let player { group.addTask { await player.run() } }
            for await _ in hold.stream {}
            group.cancelAll()
        }
    }

    func finish() {
        hold.continuation.finish()
        calls.continuation.finish()
        store.finish()
    }

    /// Sets the user of the chat; nil for a guest.
    func use(_ user: ChatUser?) {
        self.user.update { $0 = user }
        // A user whose name has changed is still the same user, so the session continues.
        store.update { state in
            if let user, user.id == state.own { state.writer = .init(user) }
        }
    }

    /// Connects the open conversation and fetches the people, because the screen is shown.
    func opened() {
        isWanted.update { $0 = true }
        model.send(.refresh)
        if let chat = store.state.chat { open(chat.person.id) }
    }

    /// Closes the connection of the open conversation, because another screen is shown.
    func left() { close() }

    private func followPlaces() async {
        let (places, place) = AsyncStream.makeStream(of: Place.self)
        async let followed: Void = places.forLatest { place in
            await self.services.withChat(place.settings, place.user) { await self.serve($0) }
            guard !Task.isCancelled else { return }
            self.store.update {
                ($0.own, $0.writer, $0.isLoading, $0.failure) = (nil, nil, false, .notSupported)
            }
        }
        await withDiscardingTaskGroup { group in
            group.addTask { for await _ in self.user.states { await self.next(place) } }
            group.addTask { for await _ in self.isWanted.states { await self.next(place) } }
            for await _ in settings.store.states { next(place) }
            group.cancelAll()
        }
        place.finish()
        await followed
    }

    /// Starts a new session if the server or the user has changed.
    private func next(_ places: AsyncStream<Place>.Continuation) {
        let place = Place(settings: settings.store.state.effective, user: user.state)
        guard isWanted.state || place.settings.server != nil else { return }
        guard
            last?.settings.server != place.settings.server || last?.user?.id != place.user?.id || last == nil
        else {
            return
        }
        // Closes the conversation, because a text sent before the next session begins would be lost.
        if last != nil { store.update { $0.stop() } }
        last = place
        places.yield(place)
    }

    /// Runs a session on one server until the task is cancelled.
    private func serve(_ seat: ChatSeat) async {
        let kept = await seat.memory.preferences()
        let left = await seat.files.leftVoices().filter { file in !kept.files.contains { $0.id == file.id } }
        let inbox = Inbox(own: seat.own.id, seat.service, clock: clock)
        let session = Session(seat: seat, inbox: inbox)
        let keeper = PreferencesKeeper(model, seat.memory, kept, clock: clock)
        self.session = session
        store.update { state in
            state = ChatsViewModel.State()
            (state.own, state.writer, state.isLoading) = (seat.own.id, .init(seat.own), true)
            (state.drafts, state.muted) = (kept.drafts, kept.muted)
            for file in kept.files + left { state.transfers.add(file) }
            (state.transfers.playsSounds, state.canRecord) = (player != nil, services.recordsVoice)
        }
        resumeUploads(session)
        session.fetches.continuation.yield()
        await withDiscardingTaskGroup { group in
            group.addTask { await session.openings.stream.forLatest { await self.run($0) } }
            group.addTask { await inbox.run() }
            group.addTask { await self.handleFiles(session) }
            group.addTask { await keeper.run() }
            group.addTask { await self.follow(inbox) }
            group.addTask {
                for await report in inbox.reports { await self.handle(report, session) }
            }
            group.addTask { for await ring in session.rings.stream { await self.ring(ring, session) } }
            group.addTask {
                for await _ in session.pauses.stream {
                    try? await self.clock.sleep(for: Self.pause)
                    self.model.resumeSearch()
                    await self.sendUploaded()
                }
            }
            for await _ in session.fetches.stream { await fetch(seat) }
            group.cancelAll()
        }
        close()
        self.session = nil
        self.inbox.update { $0 = InboxOfSession(session: $0.session + 1) }
        calls.continuation.yield(.closed)
        await keeper.keep()
    }

    private func fetch(_ seat: ChatSeat) async {
        do throws(ChatError) {
            let people = try await seat.service.people(as: seat.own.id).sorted(without: seat.own.id)
            store.update { state in
                guard state.own == seat.own.id else { return }
                (state.people, state.isLoading, state.failure) = (people, false, nil)
                guard let person = people.first(where: { $0.id == state.chat?.person.id }) else { return }
                state.chat?.person = person
            }
        } catch {
            guard !Task.isCancelled else { return }
            store.update { ($0.isLoading, $0.failure) = (false, error) }
        }
    }

    private func follow(_ inbox: Inbox) async {
        var openings = 0
        for await state in inbox.state.states {
            model.show(state)
            self.inbox.update { $0.state = state }
            guard state.link == .open, state.openings != openings else { continue }
            openings = state.openings
            sendUploaded()
        }
    }

    private func handle(_ report: InboxReport, _ session: Session) {
        switch report {
        case .received(_, let peer):
            // The sender may be missing from the list that was fetched earlier.
            let isKnown = store.state.people?.contains { $0.id == peer } ?? true
            if !isKnown { session.fetches.continuation.yield() }
        case .reported(let person): model.didReport(person)
        case .found(let query, let messages): model.didFind(query, messages)
        case .call, .hangUp, .callSettled: session.rings.continuation.yield(report)
        case .callRefused(let room, let error): calls.continuation.yield(.refused(room: room, error))
        case .stored(let message, _):
            guard let id = message.id else { break }
            store.update { $0.transfers.didSend(id) }
        case .failed(let error, _, let message?):
            // The inbox sends only the messages of files.
            if model.didRefuse(message, error) { session.pauses.continuation.yield() }
        case .failed(let error, let request, nil):
            if model.didFail(error, of: request) { session.pauses.continuation.yield() }
            // The inbox may have reconnected in the meantime.
            if error == .notConnected { model.show(session.inbox.state.state) }
        }
    }

    /// Reports a call or its end, after looking up the caller if necessary.
    private func ring(_ report: InboxReport, _ session: Session) async {
        switch report {
        case .call(let room, let peer):
            let person = await person(peer, session)
            calls.continuation.yield(.rang(room: room, from: person))
        case .hangUp(let room, let peer): calls.continuation.yield(.hungUp(room: room, from: peer))
        case .callSettled(let room, let peer):
            calls.continuation.yield(.settled(room: room, with: peer))
        case .received, .reported, .found, .stored, .callRefused, .failed: break
        }
    }

    /// Returns the person with an ID; nil if the list does not contain the person.
    func known(_ id: Int) -> ChatPerson? { store.state.people?.first { $0.id == id } }

    /// Returns the person with an ID; if the list does not contain the person, fetches the people again.
    private func person(_ id: Int, _ session: Session) async -> ChatPerson {
        if let known = known(id) { return known }
        let people = try? await withDeadline(Self.nameLimit, clock: clock) {
            try await session.seat.service.people(as: session.seat.own.id)
        }
        return people?.first { $0.id == id } ?? .unknown(id, isOnline: true)
    }

    /// Whether the inbox is connected, so that people can be called.
    var isConnected: Bool { session?.inbox.state.state.link == .open }

    /// Sends a request that concerns a call through the inbox.
    func send(_ request: ChatRequest, to peer: Int) { session?.inbox.send(.request(request, with: peer)) }

    // MARK: The open conversation

    private func handle(_ request: ChatsViewModel.Request) {
        switch request {
        case .fetch: session?.fetches.continuation.yield()
        case .open(let peer): open(peer)
        case .close: close()
        case .call(let person): calls.continuation.yield(.wanted(person))
        case .command(let command, let peer):
            if let conversation, conversation.peer == peer, conversation.send(command) { break }
            model.takeBack(command, from: peer)
        case .file(let request): session?.files.continuation.yield(request)
        case .inbox(let request, let peer): session?.inbox.send(.request(request, with: peer))
        }
    }

    private func open(_ peer: Int) {
        guard let session, conversation?.peer != peer else { return }
        close()
        let opened = Conversation(
            own: session.seat.own.id,
            name: session.seat.own.name,
            peer: peer,
            session.seat.service,
            session.seat.memory,
            clock: clock
        )
        (conversation, lastRead) = (opened, nil)
        session.openings.continuation.yield(opened)
    }

    /// Stores the stream that ends the recording of a voice message.
    func beginRecording(_ id: String, _ end: AsyncStream<Never>.Continuation) { recording = (id, end) }

    func endRecording(_ id: String) { if recording?.id == id { recording?.end.finish() } }

    private func close() {
        stopSound()
        model.endRecordings()
        recording?.end.finish()
        guard let conversation else { return }
        conversation.finish()
        self.conversation = nil
        store.update { $0.transfers.takeBack(from: conversation.peer) }
        sendUploaded()
    }

    private func run(_ conversation: Conversation) async {
        let seen = Task { for await _ in isInFront.states { markRead(conversation) } }
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await state in conversation.state.states {
                    self.model.show(state, with: conversation.peer)
                    await self.markRead(conversation)
                }
            }
            group.addTask {
                for await report in conversation.reports {
                    self.model.handle(report, with: conversation.peer)
                }
            }
            await conversation.run()
        }
        seen.cancel()
        await seen.value
    }

    /// Reports the messages of a conversation as read, if the window is in front.
    private func markRead(_ conversation: Conversation) {
        guard conversation === self.conversation else { return }
        let state = conversation.state.state
        // A report that was being sent may be lost with the connection.
        if state.link != .open { lastRead = nil }
        let last = state.items.last { !$0.isMine }?.message.id
        guard isInFront.state, state.link == .open, state.mode == .extended, let last, last != lastRead else {
            return
        }
        lastRead = last
        conversation.send(.request(.read(id: last)))
    }
}
