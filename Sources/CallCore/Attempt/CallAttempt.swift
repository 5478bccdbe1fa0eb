internal import Basics

/// The driver of one `AttemptStateMachine`, which passes events to it and performs its effects in order.
///
/// The event loop awaits only its inbox, so a hangup never waits for a slow media session. When `run`
/// returns, the media session is closed and no task is left, even after cancellation.
struct CallAttempt: Sendable {
    typealias Inbox = (stream: AsyncStream<CallEvent>, continuation: AsyncStream<CallEvent>.Continuation)

    let media: any MediaService
    let iceServers: [ICEServer]
    let channel: any SignalingChannel
    let clock: any Clock<Duration>
    let options: CallOptions
    let report: @Sendable (AttemptReport) -> Void

    func run(_ initial: AttemptStateMachine, _ inbox: Inbox) async {
        var machine = initial
        var setup = SetupRecord(clock)
        let effects = AsyncStream.makeStream(of: CallEffect.self)
        let sessions = AsyncStream.makeStream(of: (any MediaSession).self)
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await session in sessions.stream {
                    for await event in session.events { inbox.continuation.yield(.media(event)) }
                }
            }
            group.addTask {
                await perform(
                    effects.stream,
                    of: initial,
                    opened: sessions.continuation,
                    answering: inbox.continuation
                )
            }
            for await event in inbox.stream {
                let before = machine.state
                let wanted = machine.handle(event)
                setup.note(event, in: machine)
                reportEvent(event, from: before, to: wanted, machine, setup)
                for effect in wanted {
                    guard case .startDeadline(let deadline) = effect else {
                        effects.continuation.yield(effect)
                        continue
                    }
                    group.addTask {
                        guard (try? await clock.sleep(for: options.timeout(deadline))) != nil else { return }
                        inbox.continuation.yield(.deadlineReached(deadline))
                    }
                }
                if machine.end != nil { break }
            }
            group.cancelAll()
        }
        // A state machine that has not ended was interrupted by the cancellation of our task.
        report(.ended(machine.end ?? .stopped, setup.times))
    }

    private func reportEvent(
        _ event: CallEvent,
        from before: AttemptStateMachine.State,
        to wanted: [CallEffect],
        _ machine: AttemptStateMachine,
        _ setup: SetupRecord
    ) {
        for case .createAnswer(let offer) in wanted { report(.received(.offer, bytes: offer.sdp.utf8.count)) }
        switch event {
        case .answerReceived(let answer, _) where before != machine.state:
            report(.received(.answer, bytes: answer.sdp.utf8.count))
        case .media(.firstFrame(let kind)):
            report(.firstFrame(kind, milliseconds: setup.firstFrames[kind] ?? 0))
        case .media(let mediaEvent): report(.media(mediaEvent))
        case .start, .stop, .offerReceived, .answerReceived, .ringingReceived, .restartReceived,
            .candidateReceived, .offerCreated, .answerCreated, .answerRefused, .answerApplied,
            .deadlineReached:
            break
        }
        if machine.state != before && machine.end == nil { report(.state(machine.state)) }
        switch event {
        case .offerCreated(let sdp) where !wanted.isEmpty:
            report(.sent(.offer, bytes: sdp.utf8.count, offerID: machine.offerID))
        case .answerCreated(let sdp) where !wanted.contains(where: \.isAnswering) && !wanted.isEmpty:
            report(.sent(.answer, bytes: sdp.utf8.count, offerID: machine.offerID))
        case .start, .stop, .offerReceived, .answerReceived, .ringingReceived, .restartReceived,
            .candidateReceived, .offerCreated, .answerCreated, .answerRefused, .answerApplied, .media,
            .deadlineReached:
            break
        }
    }
}

// MARK: - Effects

extension CallAttempt {
    /// Performs effects in order, and closes the session even if an effect fails.
    private func perform(
        _ effects: AsyncStream<CallEffect>,
        of machine: AttemptStateMachine,
        opened: AsyncStream<any MediaSession>.Continuation,
        answering inbox: AsyncStream<CallEvent>.Continuation
    ) async {
        var session: (any MediaSession)?
        for await effect in effects {
            do {
                if effect == .openMedia {
                    let made = try await media.makeSession(role: machine.role, iceServers: iceServers)
                    session = made
                    opened.yield(made)
                } else if case .send(let message) = effect {
                    await channel.send(message, to: machine.addressee(of: message))
                } else if case .fail(let failure) = effect {
                    inbox.yield(.media(.failed(failure)))
                } else if let session, let result = try await perform(effect, on: session) {
                    inbox.yield(result)
                }
            } catch is CancellationError where Task.isCancelled {
                break
            } catch {
                let failure = CallMediaFailure(error, at: "session")
                guard effect.isAnswering else {
                    // Later effects depend on this one: for example, no candidate can be added without its
                    // description.
                    inbox.yield(.media(.failed(failure)))
                    break
                }
                inbox.yield(.answerRefused(failure))
            }
        }
        await session?.close()
    }

    private func perform(_ effect: CallEffect, on session: any MediaSession) async throws -> CallEvent? {
        switch effect {
        case .createOffer: return .offerCreated(try await session.createOffer())
        case .createAnswer(let offer): return .answerCreated(try await session.createAnswer(to: offer))
        case .apply(let answer):
            try await session.apply(answer: answer)
            return .answerApplied
        case .add(let candidate):
            await session.add(candidate)
            return nil
        case .openMedia, .send, .fail, .startDeadline: return nil
        }
    }
}

extension CallEffect {
    fileprivate var isAnswering: Bool {
        switch self {
        case .createAnswer: true
        case .openMedia, .createOffer, .apply, .add, .send, .fail, .startDeadline: false
        }
    }
}
