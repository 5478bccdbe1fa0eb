package import Logging

/// Runs one call, from its first attempt to its end, inside a stay in a room.
package struct CallSession: Sendable {
    private let options: CallOptions
    private let logger: Logger

    package init(options: CallOptions, logger: Logger = Logger(label: "callrunner.call")) {
        self.options = options
        self.logger = logger
    }

    /// Runs until user, peer, room or retry budget end the call; every attempt is closed by then.
    ///
    /// `onReport` is called for each report in order, `.ended` last. Cancelling the task ends the call
    /// without telling the peer: leaving the room does.
    package func run(
        _ opening: CallStart,
        in room: inout RoomSession,
        onReport: (CallReport) -> Void
    ) async -> CallOutcome {
        var course = CallStateMachine(role: room.knowledge.role, options: options)
        await withDiscardingTaskGroup { group in
            var attempt: AsyncStream<CallEvent>.Continuation?
            for action in course.open(opening, &room.knowledge) {
                perform(action, &attempt, &group, room, onReport)
            }
            while course.outcome == nil, let input = await room.next() {
                for action in course.handle(input, &room.knowledge) {
                    perform(action, &attempt, &group, room, onReport)
                }
            }
            group.cancelAll()
        }
        room.knowledge.disarmCall()
        if let outcome = course.outcome { return outcome }
        // The task was cancelled; the reports of its attempt went unread.
        let (outcome, actions) = course.abandon()
        for case .report(let report) in actions { tell(report, onReport) }
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
                iceServers: room.knowledge.iceServers,
                channel: room.channel,
                clock: room.clock,
                options: options,
                report: { inputs.yield(.attempt($0)) }
            )
            group.addTask { await driver.run(machine, inbox) }
        case .tell(let event): attempt?.yield(event)
        case .send(let message): room.send(message)
        case .probe: room.perform(.probe)
        case .rejoin: room.perform(.rejoin)
        case .start(let timer, let span): room.start(timer, span)
        case .setMuted(let isMuted): room.perform(.setMuted(isMuted))
        case .setCameraOff(let isOff): room.perform(.setCameraOff(isOff))
        case .report(let report): tell(report, onReport)
        }
    }

    private func tell(_ report: CallReport, _ onReport: (CallReport) -> Void) {
        if case .state(let state) = report {
            logger.debug("call state", metadata: ["call.state": "\(state.name)"])
        }
        onReport(report)
    }
}
