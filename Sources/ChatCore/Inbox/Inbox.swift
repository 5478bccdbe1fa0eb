package import Basics

/// The driver of an `InboxStateMachine`, which opens connections and passes their events to it.
package final class Inbox: Sendable {
    /// The state; any number of observers may read it.
    package let state: StateStore<InboxState>
    /// The events beside the state, for a single consumer; the stream finishes with `run()`.
    ///
    /// Events are dropped while 1024 of them wait.
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
                var connection: (any ChatConnection)?
                func handle(_ input: InboxStateMachine.Input) {
                    let effects = machine.handle(input)
                    let new = machine.state
                    state.update { $0 = new }
                    for effect in effects { perform(effect, &connection, &connections, &deadlines) }
                }
                handle(.start)
                for await input in inputs { handle(input) }
                handle(.stop)
                deadlines.cancelAll()
            }
        }
        state.finish()
        reportContinuation.finish()
    }

    private func perform(
        _ effect: InboxStateMachine.Effect,
        _ connection: inout (any ChatConnection)?,
        _ connections: inout DiscardingTaskGroup,
        _ deadlines: inout DiscardingTaskGroup
    ) {
        switch effect {
        case .connect(let number):
            let opened = service.connect(own, with: nil)
            connection = opened
            connections.addTask { [inputContinuation] in
                for await event in opened.events {
                    inputContinuation.yield(Self.input(event, number))
                }
                // A stream that has dropped events ends without its last one.
                inputContinuation.yield(.lost(.network("it sends too much"), code: nil, connection: number))
            }
        case .disconnect:
            connection?.close()
            connection = nil
        case .send(let frame, _): connection?.send(frame)
        case .startDeadline(let deadline, let span, let serial):
            deadlines.addTask { [clock, inputContinuation] in
                guard (try? await clock.sleep(for: span)) != nil else { return }
                inputContinuation.yield(.deadline(deadline, serial: serial))
            }
        case .report(let report): reportContinuation.yield(report)
        }
    }

    private static func input(_ event: ChatConnectionEvent, _ number: Int) -> InboxStateMachine.Input {
        switch event {
        case .opened: .opened(connection: number)
        case .frame(let frame): .frame(frame, connection: number)
        case .lost(let error, let code): .lost(error, code: code, connection: number)
        }
    }
}
