internal import AccountsClient
internal import AccountsCore
internal import AppFlow
internal import Basics
internal import CallCore
internal import CallMedia
internal import ChatClient
internal import ChatCore
internal import CallSignaling
internal import DesktopKit
internal import LiveCore
internal import Logging
internal import MediaKit
internal import SignalingServer
internal import SocketIO
internal import SoupKit
internal import Synchronization
internal import UserStore

/// The provider of the devices, and of the server, the signaling and the media for each session in a room.
final class LiveAppServices: AppServices {
    private let request: AppRequest
    private let installation: Installation
    private let window: any VideoSink
    private let console: Console
    private let events: EventWriter
    private let surroundings: Surroundings
    private let state: Mutex<State>
    let server: AppServer
    let notifications: (any NotificationService)?

    private struct State {
        var totals = MediaTotals()
        var showSource: @Sendable (SourceCaption) -> Void = { _ in }
        /// The session of the account, and the URL of its server; nil while there is none.
        var account: (base: String, session: AccountSession)?
    }

    init(
        request: AppRequest,
        installation: Installation,
        window: any VideoSink,
        surroundings: Surroundings
    ) {
        self.surroundings = surroundings
        self.request = request
        self.installation = installation
        self.window = window
        (self.console, self.events) = (surroundings.console, surroundings.events)
        state = Mutex(State())
        notifications = AppNotifications(
            surroundings.environment,
            stringsFolder: Installation.stringsFolder(surroundings.environment)
        )
        let logger = Logger(label: "callrunner.server")
        let (console, events) = (surroundings.console, surroundings.events)
        let file = ServedFile(installation.testVideo, installation, onDemand: true, logger: logger) {
            console.say($0, .failure)
        }
        server = AppServer(
            offering: file,
            services: { await ServedServices.ofApp(surroundings, logger: logger) },
            logger: logger
        ) { start, url, stored in
            console.say("\(start.reason), so this app serves \(url) until it is closed", .dim)
            if let reason = stored.accounts.reason {
                console.say("accounts are off: \(reason.sentence)", .failure)
            }
            if let reason = stored.chat.reason { console.say("the chat is off: \(reason)", .failure) }
            var fields: JSONObject = ["url": .string(url)]
            for (key, value) in stored.fields { fields[key] = value }
            await events.write("server.listening", fields)
        }
    }

    /// The media totals of all sessions that have ended.
    var totals: MediaTotals { state.withLock { $0.totals } }

    /// Sets the function that receives the caption of each opened source.
    func onSourceCaption(_ show: @escaping @Sendable (SourceCaption) -> Void) {
        state.withLock { $0.showSource = show }
    }

    var samples: [LiveItem] { [.sample(.file(installation.testVideo))] }

    func ownStream(_ settings: AppSettings) async -> LiveAddress? {
        guard settings.server == nil, let url = await server.streamURL() else { return nil }
        return .url(url)
    }

    func ownStreamIsPublished() async -> Bool { await server.streamIsPublished() }

    func chooseFile(_ dialog: FileDialog) async throws -> String? { try await choose(.video, dialog) }

    func choosePicture(_ dialog: FileDialog) async throws -> String? { try await choose(.image, dialog) }

    func chooseAnyFile(_ dialog: FileDialog) async throws -> String? { try await choose(.any, dialog) }

    func watchCamera(
        _ settings: AppSettings,
        _ show: @escaping @Sendable (VideoFrame) -> Void
    ) async throws(PictureProblem) {
        var configuration = request.media.configuration(installation, [:])
        configuration.preferredDevices = settings.devices
        do { try await CameraView.show(configuration, in: SlowSink(show)) } catch {
            if !Task.isCancelled {
                console.say("the camera cannot be used: \(MediaFailure(error).sentence)", .dim)
            }
            throw .noCamera
        }
    }

    var recordsVoice: Bool { true }

    func recordVoice(
        _ settings: AppSettings,
        to path: String,
        until end: AsyncStream<Never>,
        onLevel: @escaping @Sendable (Double) -> Void
    ) async throws(ChatError) {
        var configuration = request.media.configuration(installation, [:])
        configuration.preferredDevices = settings.devices
        do {
            try await VoiceRecorder.record(
                configuration.audioRequest,
                to: path,
                until: end,
                onLevel: onLevel
            )
        } catch {
            let (code, what) =
                switch error {
                case .unavailable: ("not_recorded", "the voice message is not recorded")
                case .lost: ("recording_lost", "the recording of the voice message has ended")
                case .unwritable: ("recording_unwritable", "the recording of the voice message has ended")
                }
            console.say("\(what): \(error.cause.sentence)", .dim)
            throw .refused(code: code, message: error.cause.sentence)
        }
    }

    private func choose(_ kind: FileChooser.Kind, _ dialog: FileDialog) async throws -> String? {
        do {
            return try await FileChooser.choose(
                kind,
                title: dialog.title,
                name: dialog.kind,
                surroundings.environment
            )
        } catch let error as FileChooser.Unavailable {
            console.say("the desktop shows no file dialog: \(error)", .failure)
            throw error
        }
    }

    func isAddress(_ server: String) -> Bool { (try? Self.checked(server)) != nil }

    func devices() async -> [MediaDevice] { await MediaDevice.connected() }

    func withServices(
        _ settings: AppSettings,
        token: String?,
        for identity: Identity,
        _ body: @Sendable (any SignalingService, any MediaService) async -> Void
    ) async throws {
        let url = try await url(settings.server)
        var token = token
        if token == nil { token = await accessToken(for: url) }
        await hold(url, token, settings.devices, identity, body)
    }

    /// Returns the access token of the user who is signed in on the server at `url`; nil if nobody is signed in there.
    private func accessToken(for url: String) async -> String? {
        guard let account = state.withLock(\.account), account.base == AccountFlags.base(of: url),
            await account.session.user != nil
        else { return nil }
        // Without a token, the server's refusal states which token it requires.
        return try? await account.session.accessToken().value
    }

    func withAccount(
        _ settings: AppSettings,
        _ body: @Sendable (any AccountService) async -> Void
    ) async {
        let address = request.api ?? settings.server ?? EmbeddedServer.defaultURL
        let isOwn = request.api == nil && settings.server == nil
        guard let base = AccountFlags.base(of: address) else { return }
        let (changes, change) = AsyncStream.makeStream(of: AccountChange.self)
        _ = await AccountConnection.with(base, request.trust, surroundings) {
            [server] transport -> any AccountTransport in
            isOwn ? ServedAccountTransport(server: server, transport: transport) : transport
        } follow: { events in
            await self.follow(events, change)
            change.finish()
        } _: { connection in
            state.withLock { $0.account = (base, connection.client.session) }
            await body(
                AppAccount(connection: connection, changes: changes) { [server] in
                    (isOwn ? server.testCode : nil) ?? (connection.isLocal ? AccountsFlags.testCode : nil)
                }
            )
            state.withLock { $0.account = nil }
        }
    }

    func withChat(
        _ settings: AppSettings,
        _ user: ChatUser?,
        _ body: @Sendable (ChatSeat) async -> Void
    ) async {
        let address = settings.server ?? EmbeddedServer.defaultURL
        guard let base = AccountFlags.base(of: address) else { return }
        // Starts the app's own server, because otherwise the first request would fail.
        if settings.server == nil { _ = try? await server.url() }
        let service = HTTPChatService(base, trust: request.trust) {
            [self] () async throws(ChatError) -> String? in
            guard user != nil, let account = state.withLock({ $0.account }), account.base == base else {
                return nil
            }
            do throws(AccountFailure) { return try await account.session.accessToken().value } catch {
                throw ChatError(error)
            }
        }
        await withDiscardingTaskGroup { group in
            group.addTask { await service.run() }
            let session = ChatSession(
                service: service,
                base: base,
                trust: request.trust,
                account: user?.id,
                named: nil,
                surroundings: surroundings
            )
            let own = await session.own()
            let isOriginal = own == GuestArchive.original.id
            let name = user?.name ?? (isOriginal ? GuestArchive.original.name : String(own))
            let archive = ChatArchive(session.origin, own: own, folder: session.folder) { [console] problem in
                console.say("warning: \(problem)", .emphasis)
            }
            let files = AppChatFiles(
                service,
                own: own,
                voices: archive.voices,
                environment: surroundings.environment
            )
            await files.clean()
            await body(ChatSeat(service, archive, files, own: ChatUser(id: own, name: name)))
            group.cancelAll()
        }
    }

    /// Reports the events of the session, and passes on sign-in and sign-out.
    private func follow(
        _ events: AsyncStream<AccountSession.Event>,
        _ change: AsyncStream<AccountChange>.Continuation
    ) async {
        for await event in events {
            switch event {
            case .signedIn(let user): change.yield(.signedIn(user: user))
            case .signedOut(let failure?): change.yield(.signedOut(failure))
            case .storeFailed(let failure): console.say(failure.message, .failure)
            case .signedOut(nil), .refreshed: break
            }
            if let (name, fields) = event.json { await self.events.write(name, fields) }
        }
    }

    /// Returns the URL of the given server, or of the embedded one if none is given.
    private func url(_ given: String?) async throws -> String {
        if let given = try Self.checked(given) { return given }
        do { return try await server.url() } catch let failure as Failure {
            var diagnosis = Diagnosis(
                exit: .signalingFailed,
                code: failure.code,
                message: failure.message,
                hint: failure.hint ?? ""
            )
            diagnosis.facts = ["server": EmbeddedServer.defaultURL]
            throw diagnosis
        }
    }

    private func hold(
        _ url: String,
        _ token: String?,
        _ devices: [MediaDevice.Kind: MediaDevice],
        _ identity: Identity,
        _ body: @Sendable (any SignalingService, any MediaService) async -> Void
    ) async {
        var configuration = request.media.configuration(
            installation,
            [.room: "\(identity.room)", .name: identity.username.value]
        )
        configuration.window = window
        let showSource = state.withLock { $0.showSource }
        configuration.preferredDevices = devices
        let media = LiveMediaService(configuration: configuration)
        let signaling = LiveSignalingService(
            request.signaling(url: url, token: token),
            logger: Logger(label: "callrunner.signaling")
        )
        let reporter = Reporter(console: console, events: events, showSource: showSource)
        async let noticed = reporter.report(media.notices, closing: ClosingLimit(), after: StateStore(false))
        await body(signaling, media)
        await media.finish()
        _ = await noticed
        let totals = await media.totals
        state.withLock { $0.totals.add(totals) }
    }

    /// Plays the ringtone until the task is cancelled, on the loudspeaker for the peer's audio; `volume` is in percent.
    func ring(_ settings: AppSettings, volume: Int) async {
        var configuration = request.media.configuration(installation, [:])
        configuration.audio.volume = volume
        configuration.preferredDevices = settings.devices
        do { try await Ringer.ring(configuration.audioRequest) } catch {
            let sentence = "the ringtone cannot be played: \(error.sentence)"
            console.say(sentence, .dim)
            await events.write("warning", ["message": .string(sentence)])
        }
    }

    private static func checked(_ server: String?) throws -> String? {
        guard let server else { return nil }
        do { return try SettingText.serverURL(server) } catch {
            throw Diagnosis(
                exit: .signalingFailed,
                code: "bad-server",
                message: "\(error)",
                hint: "correct the server's address in the settings"
            )
        }
    }
}
