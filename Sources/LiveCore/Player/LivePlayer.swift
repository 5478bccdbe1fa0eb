package import Basics

/// The driver of a `LiveStateMachine`, which opens one stream at a time and passes its events to the state machine.
package final class LivePlayer: Sendable {
    /// The stream, its state and its position; any number of observers may read them.
    package let playback: StateStore<LivePlayback>
    /// The events in order, for a single consumer; the stream finishes with `run()`.
    ///
    /// New events are dropped while 1024 of them are unread.
    package let events: AsyncStream<LiveEvent>

    private let service: any LiveStreamService
    private let clock: any Clock<Duration>
    private let initial: LiveStateMachine
    private let eventContinuation: AsyncStream<LiveEvent>.Continuation
    private let inputs: AsyncStream<LiveStateMachine.Input>
    private let inputContinuation: AsyncStream<LiveStateMachine.Input>.Continuation

    /// One opening of a stream.
    private struct Session: Sendable {
        enum Command: Sendable {
            case apply(LiveOptions)
            case seek(LiveSeek)
        }

        let number: Int
        let address: LiveAddress
        let options: LiveOptions
        let commands = AsyncStream.makeStream(of: Command.self)
        /// An empty stream that finishes when the session must end.
        let hold = AsyncStream.makeStream(of: Never.self)

        func close() {
            commands.continuation.finish()
            hold.continuation.finish()
        }
    }

    package init(
        _ service: any LiveStreamService,
        options: LiveOptions = LiveOptions(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        (self.service, self.clock) = (service, clock)
        initial = LiveStateMachine(options)
        playback = StateStore(initial.playback)
        (events, eventContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1024))
        (inputs, inputContinuation) = AsyncStream.makeStream()
    }

    package func send(_ command: LivePlayerCommand) { inputContinuation.yield(.command(command)) }

    /// Retries a lost stream immediately, because the network has changed.
    package func networkChanged() { inputContinuation.yield(.networkChanged) }

    /// Closes the stream and ends `run()`.
    package func finish() { inputContinuation.finish() }

    /// Plays until `finish()` is called or the task is cancelled; call it once.
    ///
    /// The stream is closed when this method returns.
    package func run() async {
        let (sessions, opening) = AsyncStream.makeStream(of: Session.self)
        // A stream is closed before the next one is opened, even after a cancellation.
        async let closed: Void = open(sessions)
        var machine = initial
        var session: Session?
        var timers: [LiveStateMachine.Deadline: Task<Void, Never>] = [:]
        for await input in inputs {
            for effect in machine.handle(input) { perform(effect, &session, opening, &timers) }
            let state = machine.playback
            playback.update { $0 = state }
        }
        session?.close()
        for timer in timers.values { timer.cancel() }
        for timer in timers.values { await timer.value }
        opening.finish()
        await closed
        playback.finish()
        eventContinuation.finish()
    }

    private func perform(
        _ effect: LiveStateMachine.Effect,
        _ session: inout Session?,
        _ opening: AsyncStream<Session>.Continuation,
        _ timers: inout [LiveStateMachine.Deadline: Task<Void, Never>]
    ) {
        switch effect {
        case .open(let address, let options, let number):
            let next = Session(number: number, address: address, options: options)
            session = next
            opening.yield(next)
        case .close:
            session?.close()
            session = nil
        case .apply(let options): session?.commands.continuation.yield(.apply(options))
        case .seek(let target): session?.commands.continuation.yield(.seek(target))
        case .startDeadline(let deadline, let span, let serial):
            // Only the last deadline of a kind has an effect; others would accumulate if a stream stalls often.
            let replaced = timers[deadline]
            replaced?.cancel()
            timers[deadline] = Task { [clock, inputContinuation] in
                await replaced?.value
                guard (try? await clock.sleep(for: span)) != nil else { return }
                inputContinuation.yield(.deadline(deadline, serial: serial))
            }
        case .report(let event): eventContinuation.yield(event)
        }
    }

    private func open(_ sessions: AsyncStream<Session>) async {
        for await session in sessions {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.play(session) }
                for await _ in session.hold.stream {}
                group.cancelAll()
            }
        }
    }

    /// Opens the stream of a session and passes on its events until the session is closed.
    private func play(_ session: Session) async {
        let stream: any LiveStream
        do {
            stream = try await service.open(session.address, session.options)
        } catch let failure as LiveFailure {
            inputContinuation.yield(.refused(failure, session: session.number))
            return
        } catch {
            guard !Task.isCancelled else { return }
            let failure = LiveFailure(.unsupported, "the stream cannot be opened: \(error)")
            inputContinuation.yield(.refused(failure, session: session.number))
            return
        }
        inputContinuation.yield(.opened(session: session.number))
        await withDiscardingTaskGroup { group in
            group.addTask { [inputContinuation] in
                for await event in stream.events {
                    inputContinuation.yield(.event(event, session: session.number))
                }
            }
            for await command in session.commands.stream {
                switch command {
                case .apply(let options): await stream.apply(options)
                case .seek(let target): await stream.seek(to: target)
                }
            }
            group.cancelAll()
        }
        await stream.close()
    }
}
