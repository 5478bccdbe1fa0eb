package import CallCore

/// Owns navigation: each screen is an asynchronous step that returns the next one.
///
/// A command line is one stay in a room, and over when its plan is fulfilled; the app goes from Login to Room to Call
/// and back until the user quits. What runs, runs inside `run`, and nothing is left when it returns, cancelled or not.
@MainActor package final class AppCoordinator {
    /// A screen with what it begins with.
    enum Step {
        case login
        /// The room, not joined.
        case lobby(RoomLoss?)
        /// The room, joined; nil in the app, which makes a plan of what is set then.
        case visit(CallPlan?)
    }

    /// Every event in order, for a single reader; finishes with the run.
    package nonisolated let events: AsyncStream<FlowEvent>
    /// What the settings sheet shows and changes.
    package nonisolated let settings: SettingsViewModel
    package nonisolated let outlet = CommandRouter()

    nonisolated let source = StateStore<SourceCaption?>(nil)
    let services: any AppServices
    /// What the present stay is held with.
    var media: (any MediaService)?
    /// Nil on a command line, which remembers nothing.
    let memory: (any AppMemory)?
    let clock: any Clock<Duration>
    let eventsContinuation: AsyncStream<FlowEvent>.Continuation
    private let screen: StateStore<Screen>
    private var step: Step?
    private var hasShown = false
    /// What is to be remembered or forgotten, one after the other, while nobody waits.
    let chores:
        (
            stream: AsyncStream<@Sendable (any AppMemory) async throws -> Void>,
            continuation: AsyncStream<@Sendable (any AppMemory) async throws -> Void>.Continuation
        ) = AsyncStream.makeStream()
    /// Of how many logouts the memory has forgotten what it should, as far as it could.
    nonisolated let forgotten = StateStore(0)
    private let rememberedSettings: SettingsViewModel.State
    /// The room that is shown, or would be.
    var room: RoomViewModel?
    var controls = CallControls()
    var outcome = RunOutcome()
    /// How many calls in a row media has not reached.
    var misses = 0
    /// How many times in a row the room was lost, or could not be joined.
    var losses = 0
    /// What the last logout has left behind.
    var unforgotten: AppMemoryFailure?
    /// The devices of which it was told in this stay that they are not there.
    var toldMissing: Set<CallDevice> = []

    /// One stay in a room.
    package init(
        plan: CallPlan,
        signaling: any SignalingService,
        media: any MediaService,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        services = StandingServices(signaling: signaling, media: media)
        memory = nil
        self.clock = clock
        settings = SettingsViewModel(AppSettings(), token: nil)
        rememberedSettings = settings.store.state
        (events, eventsContinuation) = AsyncStream.makeStream()
        var state = RoomState(identity: plan.identity, role: plan.role)
        state.isManaged = plan.isManaged
        let room = RoomViewModel(state, outlet: outlet)
        self.room = room
        screen = StateStore(.room(room))
        step = .visit(plan)
    }

    /// The app, which begins where it was left.
    ///
    /// `server` stands in for the one that is remembered, until another is set.
    package init(
        services: any AppServices,
        memory: any AppMemory,
        server: String? = nil,
        token: String? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) async {
        self.services = services
        self.memory = memory
        self.clock = clock
        let kept = token == nil ? await memory.token() : token
        settings = SettingsViewModel(
            await memory.settings(),
            server: server,
            token: kept,
            isAddress: services.isAddress
        )
        rememberedSettings = settings.store.state
        (events, eventsContinuation) = AsyncStream.makeStream()
        if let remembered = await memory.identity() {
            var state = RoomState(identity: remembered.identity, role: remembered.role)
            state.isManaged = true
            let room = RoomViewModel(state, outlet: outlet)
            room.disconnected(nil, role: remembered.role)
            self.room = room
            screen = StateStore(.room(room))
            step = .lobby(nil)
        } else {
            screen = StateStore(.login(LoginViewModel(outlet: outlet)))
            step = .login
        }
    }

    /// The screen shown now and each that follows, for any number of readers.
    package nonisolated var screens: AsyncStream<Screen> { screen.states }

    package nonisolated var currentScreen: Screen { screen.state }

    /// Hangs up, leaves the room and ends the run, politely.
    package nonisolated func leave() {
        outlet.send(.quit)
    }

    /// Says what is sent from now on.
    package nonisolated func show(_ source: SourceCaption) {
        self.source.update { $0 = source }
        if case .call(let model) = screen.state { model.store.update { $0.source = source } }
    }

    /// The whole life of the program; call it once.
    package func run() async -> RunOutcome {
        await withTaskGroup { group in
            if let memory {
                let keeper = SettingsKeeper(
                    memory: memory,
                    known: rememberedSettings,
                    forgotten: forgotten,
                    events: eventsContinuation
                )
                group.addTask { [settings] in await keeper.follow(settings) }
                group.addTask { [chores = chores.stream] in
                    for await chore in chores { await keeper.keep { try await chore(memory) } }
                }
            }
            while let step, !Task.isCancelled { self.step = await handle(step) }
            settings.send(.commit)
            settings.store.finish()
            chores.continuation.finish()
        }
        screen.finish()
        eventsContinuation.finish()
        return outcome
    }

    private func handle(_ step: Step) async -> Step? {
        switch step {
        case .login: await login()
        case .lobby(let loss): await lobby(loss)
        case .visit(let plan?): await visit(plan)
        case .visit(nil): await join()
        }
    }

    func tell(_ event: FlowEvent) {
        eventsContinuation.yield(event)
    }

    func show(_ next: Screen) {
        if memory != nil, next != screen.state || !hasShown { tell(.screen(next.name)) }
        hasShown = true
        screen.update { $0 = next }
    }

    /// The Login screen that is shown already, so that nothing typed is lost, or a new one.
    func showLogin() {
        if case .login = screen.state { return show(screen.state) }
        show(.login(LoginViewModel(outlet: outlet, unforgotten: unforgotten)))
    }

    func fail(_ diagnosis: Diagnosis) {
        outcome.fail(diagnosis)
        tell(.error(diagnosis))
    }

    /// Where a person quits, what went wrong on the way was told on the screen.
    func forgive() {
        outcome.error = nil
        outcome.exit = .success
    }
}
