internal import AppFlow
internal import Basics
internal import ChatClient
internal import ChatCore
internal import FoundationEssentials
internal import GLibKit
internal import Glibc

/// The run of `callrunner chat`.
struct ChatProgram {
    struct Request: Hashable {
        var texts: [String]
        /// The paths of the files to send.
        var files: [String]
        /// The folder in which the other person's files are saved; nil to save none.
        var folder: String?
        /// Whether the lines of standard input are sent as messages.
        var readsInput: Bool
        /// Whether the run continues after everything has been sent.
        var follows: Bool
        var timeout: Duration
    }

    /// The reason why the run ends.
    private enum End: Sendable {
        case done
        case interrupted(Int32)
        case readerLeft
        case failed(ChatError)
        case outputFailed(StandardStream.Closed)
    }

    /// The maximum number of unsent messages; further messages are delayed until some have been sent.
    private static let mostWaiting = 50

    private let request: Request
    private let session: ChatSession
    private let conversation: Conversation
    private let own: Int
    private let sent = StateStore(SentMessages())
    private let writer: ChatWriter
    /// Whether the server has listed its people, so that it offers a chat.
    private let hasList: Bool
    /// Saves the other person's files; nil to save none.
    private let saver: MediaSaver?

    private var console: Console { session.surroundings.console }
    private var events: EventWriter { session.surroundings.events }

    /// Creates the run of a chat with the person whose ID or name is `text`.
    ///
    /// - Throws: `ChatError` or `Failure`.
    init(_ request: Request, _ session: ChatSession, named text: String) async throws {
        (self.request, self.session) = (request, session)
        let own = await session.own()
        let people: [ChatPerson]
        do { people = try await session.service.people(as: own) } catch let error {
            // The list is not needed to write to an ID; messages are stored while the server cannot be reached.
            guard Int(text) != nil, case .network = error else { throw error }
            people = []
        }
        let peer = try Int(text) ?? ChatNames.find(text, in: people.filter { $0.id != own }).id
        guard peer != own else { throw Failure.usage("--as and --with are the same person") }
        let original = GuestArchive.original
        let name = people.first { $0.id == own }?.name ?? (own == original.id ? original.name : nil)
        let (console, events) = (session.surroundings.console, session.surroundings.events)
        let archive = ChatArchive(session.origin, own: own, folder: session.folder) { problem in
            console.say("warning: \(problem)", .emphasis)
        }
        (self.own, hasList) = (own, !people.isEmpty)
        saver = request.folder.map { MediaSaver(MediaFolder(path: $0), session, own: own) }
        writer = ChatWriter(console, events, writesJSON: session.surroundings.writesJSON, with: peer)
        conversation = Conversation(
            own: own,
            name: name,
            peer: peer,
            session.service,
            ReportedMemory(archive, writer)
        )
    }

    /// Chats until everything was sent, or until the program is interrupted.
    ///
    /// - Returns: The exit code.
    /// - Throws: `Failure`.
    func run(until interruption: StateStore<Interruption?>) async throws -> Int32 {
        let closing = ClosingLimit()
        let exit: @Sendable () -> Int32 = { interruption.state?.exit ?? RunStatus.signalingFailed.rawValue }
        return try await closing.during(console, events, exit: exit) {
            async let conversed: Void = conversation.run()
            async let written: Void = writer.show(conversation)
            async let reported: Void = writer.report(conversation.reports)
            let end = await end(interruption)
            closing.begin()
            let failures = discardFailures()
            conversation.finish()
            _ = await (conversed, written, reported)
            return try await status(end, failures)
        }
    }

    /// Sends the messages, and returns the first reason to end the run.
    private func end(_ interruption: StateStore<Interruption?>) async -> End {
        await withTaskGroup(of: End?.self) { group in
            group.addTask { await work() }
            group.addTask { await limit() }
            group.addTask {
                for await closed in writer.closings {
                    return closed.isReaderGone ? .readerLeft : .outputFailed(closed)
                }
                return nil
            }
            group.addTask {
                for await reason in interruption.states {
                    if let exit = reason?.exit { return .interrupted(exit) }
                    if reason != nil { return .readerLeft }
                }
                return nil
            }
            if request.follows, let saver {
                group.addTask {
                    await saver.follow(conversation)
                    return nil
                }
            }
            group.addTask {
                for await _ in NetworkMonitor() { conversation.send(.reconnect) }
                return nil
            }
            var end: End?
            while end == nil, let next = await group.next() { end = next }
            group.cancelAll()
            return end ?? .done
        }
    }

    // MARK: Sending

    private func work() async -> End? {
        // Before the protocol is known, messages cannot wait for a connection.
        guard await wait(until: { $0.mode == .extended || $0.link == .open }) else { return nil }
        for text in request.texts { await submit(text) }
        for path in request.files {
            guard await wait(until: { $0.link == .open }) else { return nil }
            guard conversation.state.state.mode == .extended else { return .failed(.notSupported) }
            do throws(ChatError) {
                let media = try await session.service.upload(path, as: own)
                await submit(Self.name(of: path), media)
            } catch { return .failed(error) }
        }
        if request.readsInput { await readInput() }
        guard !request.follows, await wait(until: { $0.link == .open }) else { return nil }
        await saver?.save(conversation.state.state.items)
        let count = sent.state.keys.count
        let isDone = await wait { state in
            // After a lost connection to an original server, the next history shows whether it has stored the message.
            let isClear = state.mode == .extended || state.link == .open || state.link == .closed
            return isClear && state.acceptedMessages == count && state.waitingMessages == 0
        }
        return isDone ? .done : nil
    }

    /// Waits until the state of the conversation meets a condition; false if the conversation ends before that.
    private func wait(until condition: (ConversationState) -> Bool) async -> Bool {
        for await state in conversation.state.states where condition(state) { return true }
        return false
    }

    private func submit(_ text: String, _ media: ChatMedia? = nil) async {
        guard await wait(until: { $0.waitingMessages < Self.mostWaiting }) else { return }
        guard !text.isBlank || media != nil else { return }
        let id = UUID().uuidString
        sent.update { $0.keys.insert(id) }
        let now = ChatTime(microseconds: Int64(Date.now.timeIntervalSince1970 * 1_000_000))
        conversation.send(.send(id: id, text: text, media: media, replyTo: nil, at: now))
        // Waits until the message is counted, so that the limit includes it when the next one is sent.
        let count = sent.state.keys.count
        _ = await wait { $0.acceptedMessages >= count }
    }

    private static func name(of path: String) -> String {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        return path[start...].description.printable(limit: 200)
    }

    private func readInput() async {
        let input = await DescriptorInput(STDIN_FILENO)
        var splitter = LineSplitter()
        while !Task.isCancelled {
            let bytes = (try? await input.read()) ?? []
            for line in bytes.isEmpty ? splitter.finish() : splitter.append(bytes) {
                switch line {
                case .text(let text): await submit(String(decoding: text, as: UTF8.self))
                case .tooLong:
                    console.fail(ChatError.tooLong.message, hint: nil)
                    sent.update { $0.hasLongLine = true }
                }
            }
            guard !bytes.isEmpty else { return }
        }
    }

    // MARK: The end

    private enum Opening: Sendable {
        case open
        case refused(ChatError)
        case ended
    }

    /// Waits until the server has been unreachable for the timeout, or refuses or ends the conversation.
    private func limit() async -> End? {
        while !Task.isCancelled {
            let conversation = conversation
            let opening = try? await withDeadline(request.timeout) {
                await Self.opening(conversation.state.states)
            }
            guard !Task.isCancelled else { return nil }
            switch opening {
            case .open?: break
            case .refused(let error)?: return .failed(error)
            case .ended?: return .failed(.network("the server has ended the conversation"))
            case nil:
                if case .reconnecting(let error) = conversation.state.state.link { return .failed(error) }
                return .failed(.network("the server does not answer"))
            }
            for await state in conversation.state.states {
                if state.link == .closed {
                    if request.follows { return .done }
                    // Without unsent messages, `work()` returns by itself.
                    guard state.waitingMessages > 0 else { continue }
                    return .failed(.network("the server has ended the conversation"))
                }
                if case .reconnecting(let error) = state.link, error.isLasting { return .failed(error) }
                if state.link != .open, !request.follows { break }
            }
        }
        return nil
    }

    /// Waits until the conversation is open, has ended, or has been refused permanently.
    private static func opening(_ states: AsyncStream<ConversationState>) async -> Opening {
        var hasBegun = false
        for await state in states {
            switch state.link {
            case .connecting: hasBegun = true
            case .open: return .open
            case .reconnecting(let error):
                hasBegun = true
                if error.isLasting { return .refused(error) }
            case .closed: if hasBegun { return .ended }
            }
        }
        return .ended
    }

    /// Discards the messages of this run that could not be sent, and returns their errors, which the caller reports.
    private func discardFailures() -> [ChatError] {
        let keys = sent.state.keys
        return conversation.state.state.items.compactMap { item in
            guard keys.contains(item.key), case .notSent(let error) = item.progress else { return nil }
            conversation.send(.discard(key: item.key))
            return error
        }
    }

    private func status(_ end: End, _ failures: [ChatError]) async throws(Failure) -> Int32 {
        let state = conversation.state.state
        let waiting = state.mode == .extended ? state.waitingMessages : 0
        let note = waiting == 1 ? "1 message is kept" : "\(waiting) messages are kept"
        let later = "\(note) on this computer, to be sent by the next run with --with \(conversation.peer)"
        switch end {
        case .interrupted(let exit):
            if waiting > 0 { console.say(later) }
            return exit
        case .outputFailed(let closed):
            throw Failure(
                code: "output-failed",
                message: "standard output cannot be written: \(closed.reason)",
                hint: "see whether its disk is full",
                exit: RunStatus.recordingFailed.rawValue
            )
        case .failed(let error):
            var failure =
                if case .status(404) = error, hasList { ChatNames.nobody("ID \(conversation.peer)") } else {
                    await Failure.explained(error, session.base, session.trust)
                }
            if waiting > 0 {
                failure.hint = [failure.hint, later].compactMap(\.self).joined(separator: "; ")
            }
            throw failure
        case .readerLeft: return waiting == 0 ? 0 : Interruption.readerLeftEarly
        case .done:
            guard let error = failures.first else {
                let hasFailed = await saver?.hasFailed ?? false
                let isIncomplete = sent.state.hasLongLine || hasFailed
                return isIncomplete ? RunStatus.timedOut.rawValue : 0
            }
            var failure = Failure(error, session.base)
            failure.exit = RunStatus.timedOut.rawValue
            if failures.count > 1 {
                failure.message = "\(failures.count) messages were not sent: \(failure.message)"
            }
            throw failure
        }
    }
}

extension ChatError {
    /// Whether the error will persist, so that retrying is pointless.
    var isLasting: Bool {
        if case .status(let status) = self {
            status / 100 == 4 && status != 408 && status != 429
        } else {
            false
        }
    }
}

/// The messages that a run has passed to the conversation.
private struct SentMessages: Hashable {
    var keys: Set<String> = []
    /// Whether a line of standard input was too long to be read.
    var hasLongLine = false
}
