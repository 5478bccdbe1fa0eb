internal import Basics
package import CallCore

/// The flow of calls, in which each screen is an asynchronous step that returns the next step.
///
/// A run from the command line has one session in a room and ends when its plan is fulfilled. In the app, the
/// Login, Room and Call screens follow each other until the user quits. All tasks run inside `run`, and none is
/// left when it returns, even after cancellation.
@MainActor package final class CallsFlow {
    /// A step of the run, which begins on one screen.
    enum Step {
        case login
        /// The room while it is not joined, with the reason if it was lost.
        case disconnected(RoomLoss?)
        /// A session in the room; the plan is nil in the app, which makes one from the current settings.
        case joined(CallPlan?)
        /// A visit to another room for one call; afterwards the user's own room is joined again if `rejoins` is true.
        case visiting(RoomVisit, rejoins: Bool)
    }

    /// All events in order, for a single reader; the stream finishes with the run.
    package nonisolated let events: AsyncStream<FlowEvent>
    /// The settings, which apply from the next call or connection on.
    package nonisolated let settings: SettingsViewModel
    package nonisolated let router = CommandRouter()

    nonisolated let source = StateStore<SourceCaption?>(nil)
    /// The controls of the media of this and later calls.
    package nonisolated let controls: MediaControls
    let services: any AppServices
    /// The persistent data of the app; nil on a command line, which saves nothing.
    let memory: (any AppMemory)?
    let clock: any Clock<Duration>
    nonisolated let eventsContinuation: AsyncStream<FlowEvent>.Continuation
    private let screen: StateStore<CallsScreen>
    private var step: Step?
    private var hasShown = false
    /// The queue of changes to the persistent data, which are made one after the other in the background.
    let memoryChanges:
        (
            stream: AsyncStream<@Sendable (any AppMemory) async throws -> Void>,
            continuation: AsyncStream<@Sendable (any AppMemory) async throws -> Void>.Continuation
        ) = AsyncStream.makeStream()
    /// The number of logouts after which the deletion of the stored data has finished or failed.
    nonisolated let forgotten = StateStore(0)
    /// The number of past calls that are still to be saved.
    var unsavedCalls = 0
    /// The number of logouts, including those whose stored data has not been deleted yet.
    nonisolated let logouts = StateStore(0)
    /// The number of past calls that were saved.
    nonisolated let rememberedCalls = StateStore(0)
    /// The callers of missed calls, by name, or nil if the name is unknown; for a single reader.
    nonisolated let missed = AsyncStream.makeStream(of: String?.self, bufferingPolicy: .bufferingNewest(32))
    /// Called exactly once for each visit to another room: when the visit ends, or when it is cancelled before it
    /// begins.
    var visitEnded: (VisitEnd) -> Void = { _ in }
    /// The visit to another room that begins when the current step ends.
    var waitingVisit: RoomVisit?
    /// The visit to another room that is in progress.
    var visit: RoomVisit?
    /// The result of the call of the current visit; nil until the call has ended.
    var visitSummary: CallSummary?
    /// The room of a visit that was cancelled, possibly before the visit began.
    var cancelledVisit: RoomID?
    /// The view model of the room, which is kept while a call is shown.
    var room: RoomViewModel?
    var outcome = RunOutcome()
    /// The number of consecutive failed calls; a failed call in which media flowed resets it to 1.
    var failedCalls = 0
    /// The number of consecutive times that the room was lost or could not be joined.
    var losses = 0
    /// The failure to delete data at the last logout.
    var deletionFailure: StoreFailure?
    /// The missing devices already reported in this session.
    var reportedMissing: Set<MediaDevice> = []

    /// Creates a flow for one session in a room.
    package init(
        plan: CallPlan,
        signaling: any SignalingService,
        media: any MediaService,
        volume: Int = PlaybackVolume.normal,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        controls = MediaControls(volume: volume)
        services = StandingServices(signaling: signaling, media: media)
        memory = nil
        self.clock = clock
        settings = SettingsViewModel(AppSettings(), token: nil)
        (events, eventsContinuation) = AsyncStream.makeStream()
        var state = RoomState(identity: plan.identity, role: plan.role)
        state.isManaged = plan.isManaged
        let room = RoomViewModel(state, router: router)
        self.room = room
        screen = StateStore(.room(room))
        step = .joined(plan)
    }

    /// Creates a flow for the app, which begins at the room if an identity is saved, else at the login.
    init(
        services: any AppServices,
        memory: any AppMemory,
        settings: SettingsViewModel,
        volume: Int,
        clock: any Clock<Duration>
    ) async {
        controls = MediaControls(volume: volume)
        self.services = services
        self.memory = memory
        self.settings = settings
        self.clock = clock
        (events, eventsContinuation) = AsyncStream.makeStream()
        if let remembered = await memory.identity() {
            var state = RoomState(identity: remembered.identity, role: remembered.role)
            state.isManaged = true
            let room = RoomViewModel(state, router: router)
            room.disconnected(nil, role: remembered.role)
            self.room = room
            screen = StateStore(.room(room))
            step = .disconnected(nil)
        } else {
            screen = StateStore(.login(LoginViewModel(router: router)))
            step = .login
        }
    }

    /// A stream of the current screen and each screen that follows; it supports any number of readers.
    package nonisolated var screens: AsyncStream<CallsScreen> { screen.states }

    package nonisolated var currentScreen: CallsScreen { screen.state }

    /// Hangs up, leaves the room and ends the run, as the user's command to quit does.
    package nonisolated func leave() {
        router.send(.quit)
    }

    /// Shows the name of the source that is sent from now on.
    package nonisolated func show(_ source: SourceCaption) {
        self.source.update { $0 = source }
        if case .call(let model) = screen.state { model.store.update { $0.source = source } }
    }

    /// Runs the flow without an `AppShell`, as for a call from the command line; must be called only once.
    package func run() async -> RunOutcome {
        defer { finishEvents() }
        return await runSteps()
    }

    /// Runs the steps, and changes the persistent data in the background.
    func runSteps() async -> RunOutcome {
        await withTaskGroup { group in
            if let memory {
                group.addTask { [eventsContinuation, changes = memoryChanges.stream] in
                    for await change in changes {
                        await eventsContinuation.reportFailure(of: change, in: memory)
                    }
                }
            }
            while let step, !Task.isCancelled { self.step = stepWithVisit(before: await handle(step)) }
            endWaitingVisit()
            memoryChanges.continuation.finish()
        }
        screen.finish()
        return outcome
    }

    /// Ends the stream of events; nothing may be reported after it.
    func finishEvents() { eventsContinuation.finish() }

    private func handle(_ step: Step) async -> Step? {
        switch step {
        case .login: await login()
        case .disconnected(let loss): await waitWhileDisconnected(loss)
        case .joined(let plan?): await joinRoom(plan)
        case .joined(nil): await join()
        case .visiting(let visit, let rejoins): await hold(visit, rejoins: rejoins)
        }
    }

    func report(_ event: FlowEvent) {
        eventsContinuation.yield(event)
    }

    /// Shows the first screen; reports it only if `isShown` is true, that is, if the app shows no other destination.
    func begin(isShown: Bool) {
        hasShown = !isShown
        show(currentScreen)
    }

    func show(_ next: CallsScreen) {
        if memory != nil, next != screen.state || !hasShown { report(.screen(next.name)) }
        hasShown = true
        screen.update { $0 = next }
    }

    /// Shows the Login screen; if it is shown already, it is kept, so that no input is lost.
    func showLogin() {
        if case .login = screen.state { return show(screen.state) }
        show(.login(LoginViewModel(router: router, deletionFailure: deletionFailure)))
    }

    func fail(_ diagnosis: Diagnosis) {
        outcome.fail(diagnosis)
        report(.error(diagnosis))
    }

    /// Clears the error of the run, because the app has already shown it on the screen.
    func clearError() {
        outcome.error = nil
        outcome.exit = .success
    }
}
