import Basics
import CallCore
import CallTesting
import ChatCore
import LiveCore
import Synchronization

import AppFlow

/// A fake store of the app's saved data, which outlives single runs of the app.
final class FakeMemory: AppMemory {
    struct Content: Hashable, Sendable {
        var identity: RememberedIdentity?
        var settings = AppSettings()
        var token: String?
        /// All values saved as the token, in order; nil deletes the token.
        var tokens: [String?] = []
        /// The past calls, the newest first.
        var calls: [PastCall] = []
    }

    private let state: Mutex<Content>
    private let problem: StoreFailure?

    /// Creates a store; if there is a `problem`, every deletion fails with it.
    init(_ content: Content = Content(), problem: StoreFailure? = nil) {
        state = Mutex(content)
        self.problem = problem
    }

    var content: Content { state.withLock { $0 } }

    func identity() async -> RememberedIdentity? { content.identity }
    func settings() async -> AppSettings { content.settings }
    func token() async -> String? { content.token }
    func pastCalls() async -> [PastCall] { content.calls }
    func remember(_ call: PastCall) async { state.withLock { $0.calls = call.added(to: $0.calls) } }
    func remember(_ identity: RememberedIdentity) async { state.withLock { $0.identity = identity } }
    func remember(_ settings: AppSettings) async { state.withLock { $0.settings = settings } }
    func remember(token: String?) async {
        state.withLock { content in
            content.token = token
            content.tokens.append(token)
        }
    }
    func forgetCalls() async throws {
        if let problem { throw problem }
        state.withLock { $0.calls = [] }
    }
    func forgetIdentity() async throws {
        if let problem { throw problem }
        state.withLock { content in
            content.identity = nil
            content.token = nil
            content.calls = []
        }
    }
}

/// A provider of signaling and media services for sessions in a room, which counts and records the sessions.
final class FakeServices: AppServices {
    struct Count: Hashable, Sendable {
        var opened = 0
        var closed = 0
        var settings: [AppSettings] = []
        var tokens: [String?] = []
        /// Whether the microphone was muted at the end of each session.
        var muted: [Bool] = []
    }

    private let count = Mutex(Count())
    private let connected: [MediaDevice]
    /// The live stream that the app offers itself; nil for none.
    let own: StateStore<LiveAddress?>
    /// Whether the app's own stream can be played; nil while it is not known.
    private let published: StateStore<Bool?>
    private let chooseFile: @Sendable (FileDialog) async throws -> String?
    /// The chat of the app's server; nil for none.
    private let chat: FakeChat?
    private let signaling: @Sendable (Int) -> any SignalingService
    private let media: @Sendable (Int) -> FakeMedia

    /// Creates a provider; both closures receive the number of the session, starting at 1.
    init(
        devices: [MediaDevice] = [],
        own: LiveAddress? = nil,
        published: StateStore<Bool?> = StateStore(true),
        chat: FakeChat? = nil,
        chooseFile: @escaping @Sendable (FileDialog) async throws -> String? = { _ in nil },
        signaling: @escaping @Sendable (Int) -> any SignalingService,
        media: @escaping @Sendable (Int) -> FakeMedia
    ) {
        (connected, self.own, self.published) = (devices, StateStore(own), published)
        (self.chooseFile, self.signaling, self.media) = (chooseFile, signaling, media)
        self.chat = chat
    }

    var counted: Count { count.withLock { $0 } }

    var notifications: (any NotificationService)? { chat?.desktop }

    func devices() async -> [MediaDevice] { connected }

    var samples: [LiveItem] { [.sample(.file("/videos/one.mp4"))] }

    func ownStream(_ settings: AppSettings) async -> LiveAddress? {
        settings.server == nil ? own.state : nil
    }

    func ownStreamIsPublished() async -> Bool {
        for await isPublished in published.states { if let isPublished { return isPublished } }
        return false
    }

    func chooseFile(_ dialog: FileDialog) async throws -> String? { try await chooseFile(dialog) }

    func withChat(
        _ settings: AppSettings,
        _ user: ChatUser?,
        _ body: @Sendable (ChatSeat) async -> Void
    ) async {
        await chat?.withChat(settings, user, body)
    }

    func withServices(
        _ settings: AppSettings,
        token: String?,
        for identity: Identity,
        _ body: @Sendable (any SignalingService, any MediaService) async -> Void
    ) async {
        let stay = count.withLock { count in
            count.opened += 1
            count.settings.append(settings)
            count.tokens.append(token)
            return count.opened
        }
        let media = media(stay)
        await body(signaling(stay), media)
        count.withLock { count in
            count.closed += 1
            count.muted.append(media.isMuted)
        }
    }
}

/// A running app, controlled by a test through the screens and states that a user would see.
struct AppDriver: Sendable {
    let shell: AppShell
    let services: FakeServices
    let memory: FakeMemory

    var flow: CallsFlow { shell.calls }

    /// The current screen of the calls; nil if the app has ended.
    var screen: CallsScreen? {
        get async {
            for await screen in flow.screens { return screen }
            return nil
        }
    }

    /// Waits for the settings, after selecting them.
    @discardableResult
    func settings() async throws -> SettingsViewModel {
        shell.show(.settings)
        for await case .settings(let model) in shell.screens { return model }
        throw CancellationError()
    }

    /// Waits for Home, after selecting it.
    @discardableResult
    func home() async throws -> HomeViewModel {
        shell.show(.home)
        for await case .home(let model) in shell.screens { return model }
        throw CancellationError()
    }

    /// Waits for the Library, after selecting it.
    @discardableResult
    func library() async throws -> LibraryViewModel {
        shell.show(.library)
        for await case .library(let model) in shell.screens { return model }
        throw CancellationError()
    }

    /// Waits until the app shows a screen of the calls that satisfies `holds`.
    func calls(_ holds: @Sendable (CallsScreen) -> Bool = { _ in true }) async throws {
        for await case .calls(let screen) in shell.screens where holds(screen) { return }
        throw CancellationError()
    }

    /// Waits for the Login screen.
    func login() async throws -> LoginViewModel {
        for await case .login(let model) in flow.screens { return model }
        throw CancellationError()
    }

    /// Waits for the Room screen in a state that satisfies `holds`.
    @discardableResult
    func room(_ holds: @Sendable (RoomState) -> Bool = { _ in true }) async throws -> RoomViewModel {
        for await case .room(let model) in flow.screens {
            for await state in model.store.states where holds(state) { return model }
        }
        throw CancellationError()
    }

    /// Waits for the Call screen in a state that satisfies `holds`.
    @discardableResult
    func call(
        _ holds: @Sendable (CallViewModel.State) -> Bool = { _ in true }
    ) async throws -> CallViewModel {
        for await case .call(let model) in flow.screens {
            for await state in model.store.states where holds(state) { return model }
        }
        throw CancellationError()
    }

    /// Connects and waits until the room is joined.
    @discardableResult
    func connect() async throws -> RoomViewModel {
        try await room().send(.connect)
        return try await room(\.isConnected)
    }
}

extension FlowBench {
    static func remembered(_ role: Role) throws -> FakeMemory.Content {
        let name = role == .caller ? "Ann" : "Bob"
        let identity = Identity(username: try Username(name), room: try RoomID(1))
        return FakeMemory.Content(identity: RememberedIdentity(identity: identity, role: role))
    }

    /// Runs an app, passes its driver to `hand`, and closes the app when `hand` returns.
    func app<Value: Sendable>(
        _ memory: FakeMemory = FakeMemory(),
        name: String = "app",
        server: String? = nil,
        signaling: (@Sendable (Int) -> any SignalingService)? = nil,
        preparation: FakeMedia.Script.Step = .works,
        devices: [MediaDevice] = [],
        use: DeviceUse = DeviceUse(),
        player: LivePlayer? = nil,
        hasChat: Bool = false,
        recordings: FakeRecordings = FakeRecordings(),
        own: LiveAddress? = nil,
        published: StateStore<Bool?> = StateStore(true),
        opening: Destination = .calls,
        chat: FakeChat? = nil,
        chooseFile: @escaping @Sendable (FileDialog) async throws -> String? = { _ in nil },
        script: @escaping Script = { _ in .init() },
        _ hand: @escaping @Sendable (AppDriver) async throws -> Value
    ) async throws -> (value: Value, events: [FlowEvent], outcome: RunOutcome, services: FakeServices.Count) {
        let services = FakeServices(
            devices: devices,
            own: own,
            published: published,
            chat: chat,
            chooseFile: chooseFile,
            signaling: signaling ?? { _ in wire },
            media: { _ in
                FakeMedia(
                    name: name,
                    network: network,
                    clock: clock,
                    preparation: preparation,
                    devices: devices,
                    use: use,
                    script: script
                )
            }
        )
        let shell = await AppShell(
            services: services,
            memory: memory,
            recordings: recordings,
            server: server,
            player: player,
            hasChat: hasChat || chat != nil,
            opening: opening,
            clock: clock
        )
        let driver = AppDriver(shell: shell, services: services, memory: memory)
        return try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask {
                defer { shell.quit() }
                return try await hand(driver)
            }
            async let running = shell.run()
            var events: [FlowEvent] = []
            for await event in shell.calls.events { events.append(event) }
            let outcome = await running
            guard let value = try await group.next() else { throw CancellationError() }
            return (value, events, outcome, services.counted)
        }
    }
}
