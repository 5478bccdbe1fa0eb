package import Logging

/// The driver of one call, from its first attempt to its end, within a session in a room.
package struct CallSession: Sendable {
    private let options: CallOptions
    private let logger: Logger

    package init(options: CallOptions, logger: Logger = Logger(label: "callrunner.call")) {
        self.options = options
        self.logger = logger
    }

    /// Runs the call until it is over or the task is cancelled.
    ///
    /// Every attempt is closed when this method returns. `onReport` is called for each report in order, with
    /// `.ended` last. If the task is cancelled, no message is sent to the peer, which learns of the end when
    /// we leave the room.
    package func run(
        _ opening: CallStart,
        in room: inout RoomSession,
        onReport: (CallReport) -> Void
    ) async -> CallOutcome {
        var machine = CallStateMachine(role: room.presence.role, options: options)
        await withDiscardingTaskGroup { group in
            var attempt: AsyncStream<CallEvent>.Continuation?
            for action in machine.open(opening, &room.presence) {
                perform(action, &attempt, &group, room, onReport)
            }
            while machine.outcome == nil, let input = await room.next() {
                for action in machine.handle(input, &room.presence) {
                    perform(action, &attempt, &group, room, onReport)
                }
            }
            group.cancelAll()
        }
        room.presence.disarmCall()
        if let outcome = machine.outcome { return outcome }
        // The task was cancelled, so the reports of its attempt were not read.
        let (outcome, actions) = machine.abandon()
        for case .report(let report) in actions { deliver(report, onReport) }
        return outcome
    }

    private func perform(
        _ action: CallAction,
        _ attempt: inout AsyncStream<CallEvent>.Continuation?,
        _ group: inout DiscardingTaskGroup,
        _ room: RoomSession,
        _ onReport: (CallReport) -> Void
    ) {
        switch action {
        case .begin(let machine, let first):
            let inbox = AsyncStream.makeStream(of: CallEvent.self)
            for event in first { inbox.continuation.yield(event) }
            attempt = inbox.continuation
            let inputs = room.inputs
            let driver = CallAttempt(
                media: room.media,
                iceServers: room.presence.iceServers,
                channel: room.channel,
                clock: room.clock,
                options: options,
                report: { inputs.yield(.attempt($0)) }
            )
            group.addTask { await driver.run(machine, inbox) }
        case .forward(let event): attempt?.yield(event)
        case .send(let message): room.send(message)
        case .probe: room.perform(.probe)
        case .rejoin: room.perform(.rejoin)
        case .start(let timer, let span): room.start(timer, span)
        case .report(let report): deliver(report, onReport)
        }
    }

    private func deliver(_ report: CallReport, _ onReport: (CallReport) -> Void) {
        if case .state(let state) = report {
            logger.debug("call state", metadata: ["call.state": "\(state.name)"])
        }
        onReport(report)
    }
}
