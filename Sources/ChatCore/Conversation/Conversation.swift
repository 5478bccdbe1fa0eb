package import Basics

/// The driver of a `ConversationStateMachine`, which opens connections and passes their events to it.
package final class Conversation: Sendable {
    /// The state; any number of observers may read it.
    package let state: StateStore<ConversationState>
    /// The events that are not part of the state, for a single consumer; the stream finishes with `run()`.
    ///
    /// New events are dropped while 1024 of them are unread.
    package let reports: AsyncStream<ConversationReport>
    package let peer: Int

    private let own: Int
    private let name: String?
    private let service: any ChatService
    private let memory: any ChatMemory
    private let clock: any Clock<Duration>
    private let seed: UInt64
    private let reportContinuation: AsyncStream<ConversationReport>.Continuation
    private let inputs: AsyncStream<ConversationStateMachine.Input>
    private let inputContinuation: AsyncStream<ConversationStateMachine.Input>.Continuation

    /// Creates a conversation of the person `own`, whose name is `name`, with `peer`.
    package init(
        own: Int,
        name: String?,
        peer: Int,
        _ service: any ChatService,
        _ memory: any ChatMemory,
        clock: any Clock<Duration> = ContinuousClock(),
        seed: UInt64 = .random(in: 0 ... .max)
    ) {
        (self.own, self.name, self.peer) = (own, name, peer)
        (self.service, self.memory, self.clock, self.seed) = (service, memory, clock, seed)
        state = StateStore(ConversationState())
        (reports, reportContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1024))
        (inputs, inputContinuation) = AsyncStream.makeStream()
    }

    /// Queues a command; returns false if the conversation has ended and the command is discarded.
    @discardableResult
    package func send(_ command: ConversationStateMachine.Command) -> Bool {
        if case .terminated = inputContinuation.yield(.command(command)) { false } else { true }
    }

    /// Closes the connection, and then ends `run()`.
    package func finish() { inputContinuation.finish() }

    /// Runs the conversation until `finish()` is called or the task is cancelled; call it once.
    package func run() async {
        let kept = await memory.conversation(with: peer)
        var machine = ConversationStateMachine(
            own: own,
            name: name,
            peer: peer,
            kept: kept.messages,
            outbox: kept.outbox,
            mode: kept.mode,
            seed: seed
        )
        let keeper = MessageKeeper(
            MessageKeeper.Content(messages: kept.messages, mode: kept.mode),
            memory,
            peer: peer,
            clock: clock
        )
        // Messages are stored before they are sent, so the effects are performed one after the other.
        await withDiscardingTaskGroup { connections in
            await withDiscardingTaskGroup { deadlines in
                deadlines.addTask { await keeper.run() }
                var driver = ConnectionDriver(clock: clock, inputs: inputContinuation) {
                    self.service.connect(self.own, with: self.peer)
                }
                var (revision, mode) = (machine.messagesRevision, kept.mode)
                func handle(_ input: ConversationStateMachine.Input) async {
                    let effects = machine.handle(input)
                    let new = machine.state
                    state.update { $0 = new }
                    for effect in effects { await perform(effect, &driver, &connections, &deadlines) }
                    guard machine.messagesRevision != revision || new.mode != mode else { return }
                    (revision, mode) = (machine.messagesRevision, new.mode)
                    await keeper.update(MessageKeeper.Content(messages: machine.messagesToKeep, mode: mode))
                }
                await handle(.start)
                for await input in inputs {
                    await handle(input)
                    driver.didHandle(input)
                }
                await handle(.stop)
                deadlines.cancelAll()
            }
            await keeper.keep()
            // The connection closes meanwhile.
        }
        state.finish()
        reportContinuation.finish()
    }

    private func perform(
        _ effect: ConversationStateMachine.Effect,
        _ driver: inout ConnectionDriver<ConversationStateMachine.Input>,
        _ connections: inout DiscardingTaskGroup,
        _ deadlines: inout DiscardingTaskGroup
    ) async {
        switch effect {
        case .connect(let number): driver.connect(number, in: &connections)
        case .disconnect: driver.disconnect()
        case .send(let frame, _): driver.send(frame)
        case .startDeadline(let deadline, let span, let serial):
            driver.start(deadline, span, serial: serial, in: &deadlines)
        case .report(let report): reportContinuation.yield(report)
        case .keep(let outbox): await memory.keep(outbox, with: peer)
        }
    }
}

extension ConversationStateMachine.Input: ConnectionInput {
    var frameConnection: Int? {
        if case .frame(_, let connection) = self { connection } else { nil }
    }
}
