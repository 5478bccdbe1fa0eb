package import Basics

/// The driver of an `InboxStateMachine`, which opens connections and passes their events to it.
package final class Inbox: Sendable {
    /// The state; any number of observers may read it.
    package let state: StateStore<InboxState>
    /// The events that are not part of the state, for a single consumer; the stream finishes with `run()`.
    ///
    /// New events are dropped while 1024 of them are unread.
    package let reports: AsyncStream<InboxReport>

    private let own: Int
    private let service: any ChatService
    private let clock: any Clock<Duration>
    private let seed: UInt64
    private let reportContinuation: AsyncStream<InboxReport>.Continuation
    private let inputs: AsyncStream<InboxStateMachine.Input>
    private let inputContinuation: AsyncStream<InboxStateMachine.Input>.Continuation

    /// Creates the inbox of the person `own`.
    package init(
        own: Int,
        _ service: any ChatService,
        clock: any Clock<Duration> = ContinuousClock(),
        seed: UInt64 = .random(in: 0 ... .max)
    ) {
        (self.own, self.service, self.clock, self.seed) = (own, service, clock, seed)
        state = StateStore(InboxState())
        (reports, reportContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1024))
        (inputs, inputContinuation) = AsyncStream.makeStream()
    }

    package func send(_ command: InboxStateMachine.Command) { inputContinuation.yield(.command(command)) }

    /// Closes the connection and ends `run()`.
    package func finish() { inputContinuation.finish() }

    /// Runs the inbox until `finish()` is called or the task is cancelled; call it once.
    package func run() async {
        var machine = InboxStateMachine(own: own, seed: seed)
        await withDiscardingTaskGroup { connections in
            await withDiscardingTaskGroup { deadlines in
                var driver = ConnectionDriver(clock: clock, inputs: inputContinuation) {
                    self.service.connect(self.own, with: nil)
                }
                func handle(_ input: InboxStateMachine.Input) {
                    let effects = machine.handle(input)
                    let new = machine.state
                    state.update { $0 = new }
                    for effect in effects { perform(effect, &driver, &connections, &deadlines) }
                }
                handle(.start)
                for await input in inputs {
                    handle(input)
                    driver.didHandle(input)
                }
                handle(.stop)
                deadlines.cancelAll()
            }
        }
        state.finish()
        reportContinuation.finish()
    }

    private func perform(
        _ effect: InboxStateMachine.Effect,
        _ driver: inout ConnectionDriver<InboxStateMachine.Input>,
        _ connections: inout DiscardingTaskGroup,
        _ deadlines: inout DiscardingTaskGroup
    ) {
        switch effect {
        case .connect(let number): driver.connect(number, in: &connections)
        case .disconnect: driver.disconnect()
        case .send(let frame, _): driver.send(frame)
        case .startDeadline(let deadline, let span, let serial):
            driver.start(deadline, span, serial: serial, in: &deadlines)
        case .report(let report): reportContinuation.yield(report)
        }
    }
}

extension InboxStateMachine.Input: ConnectionInput {
    var frameConnection: Int? {
        if case .frame(_, let connection) = self { connection } else { nil }
    }
}
