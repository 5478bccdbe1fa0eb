package import CallCore

/// Owns navigation: joins the room and moves between waiting and calling until the plan is fulfilled.
///
/// Each screen is an asynchronous step; leaving it is returning from its function. What runs, runs inside
/// `run`, and nothing is left when it returns, cancelled or not.
@MainActor package final class AppCoordinator {
    /// Every event in order, for a single reader; finishes with the run.
    package nonisolated let events: AsyncStream<FlowEvent>

    let plan: CallPlan
    private let signaling: any SignalingService
    let media: any MediaService
    let clock: any Clock<Duration>
    let inputs: RoomSession.Inputs = AsyncStream.makeStream()
    private let eventsContinuation: AsyncStream<FlowEvent>.Continuation
    private let screen: StateStore<Screen>
    var controls = CallControls()
    var outcome = RunOutcome()
    /// How many calls in a row media has not reached.
    var misses = 0

    package init(
        plan: CallPlan,
        signaling: any SignalingService,
        media: any MediaService,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.plan = plan
        self.signaling = signaling
        self.media = media
        self.clock = clock
        (events, eventsContinuation) = AsyncStream.makeStream()
        screen = StateStore(
            .room(RoomViewModel(plan: plan, controls: controls, inputs: inputs.continuation))
        )
    }

    /// The screen shown now and each that follows, for any number of readers.
    package nonisolated var screens: AsyncStream<Screen> { screen.states }

    package nonisolated var currentScreen: Screen { screen.state }

    /// Hangs up, leaves the room and ends the run, politely.
    package nonisolated func leave() {
        inputs.continuation.yield(.command(.leave))
    }

    /// The whole life of a command line; call it once.
    package func run() async -> RunOutcome {
        let (media, inputs) = (media, inputs.continuation)
        await withTaskGroup(of: Void.self) { group in
            // While the room is joined: what a call needs costs time that no peer should wait for.
            group.addTask { _ = inputs.yield(.mediaPrepared(await Self.failure(ofPreparing: media))) }
            group.addTask { await self.followRecording() }
            await join()
            tell(.closing)
            group.cancelAll()
        }
        screen.finish()
        eventsContinuation.finish()
        return outcome
    }

    func tell(_ event: FlowEvent) {
        eventsContinuation.yield(event)
    }

    func show(_ next: Screen) {
        screen.update { $0 = next }
    }

    func fail(_ diagnosis: Diagnosis) {
        outcome.fail(diagnosis)
        tell(.error(diagnosis))
    }

    private func join() async {
        do {
            try await signaling.withRoom(plan.identity, role: plan.role) { await self.visit($0) }
        } catch let failure as SignalingFailure {
            fail(Diagnosis(failure))
        } catch is CancellationError {
            return
        } catch {
            fail(Diagnosis(SignalingFailure.refused("\(error)")))
        }
    }

    private func visit(_ channel: any SignalingChannel) async {
        let events = eventsContinuation
        let observer = RoomObserver(plan, events: events)
        let channel =
            plan.tellsSignals
            ? ObservedChannel(channel: channel) { events.yield(.signal(.sent, $0)) } : channel
        let knowledge = RoomKnowledge(
            role: plan.role,
            username: plan.identity.username.value,
            signalingPatience: plan.stays ? nil : plan.signalingPatience
        )
        await RoomSession.run(
            knowledge,
            channel: channel,
            media: media,
            clock: clock,
            inputs: inputs,
            observe: observer.take
        ) { room in
            await stay(in: &room)
        }
    }

    private nonisolated static func failure(ofPreparing media: any MediaService) async -> MediaFailure? {
        do {
            try await media.prepare()
            return nil
        } catch {
            return error as? MediaFailure ?? .pipeline(element: "source", message: "\(error)")
        }
    }
}
