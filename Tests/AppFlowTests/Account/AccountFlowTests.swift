import AccountsCore
import Basics
import CallCore
import CallTesting
import Synchronization
import Testing

@testable import AppFlow

@Suite("The account in the app", .timeLimit(.minutes(4)))
@MainActor
struct AccountFlowTests {
    private typealias State = AccountViewModel.State

    /// The services of an app whose account is a fake one.
    private struct Services: AppServices {
        let account: FakeAccount
        /// The servers for which an account was asked for.
        let servers = StateStore<[String?]>([])

        func devices() async -> [MediaDevice] { [] }

        func withServices(
            _ settings: AppSettings,
            token: String?,
            for identity: Identity,
            _ body: @Sendable (any SignalingService, any MediaService) async -> Void
        ) async {}

        func watchCamera(
            _ settings: AppSettings,
            _ show: @escaping @Sendable (VideoFrame) -> Void
        ) async throws(PictureProblem) {
            guard account.state.withLock(\.hasCamera) else { throw .noCamera }
            account.state.withLock { $0.cameraOpens += 1 }
            for side in [8, 16] {
                let bytes = [UInt8](repeating: 128, count: side * side * 3 / 2)
                guard let frame = VideoFrame(i420: bytes, Resolution(width: side, height: side)) else {
                    return
                }
                show(frame)
            }
            try? await Task.sleep(for: .seconds(3600))
            account.state.withLock { $0.cameraCloses += 1 }
        }

        func withAccount(
            _ settings: AppSettings,
            _ body: @Sendable (any AccountService) async -> Void
        ) async {
            servers.update { $0.append(settings.server) }
            await body(account)
        }
    }

    struct Driver: Sendable {
        let model: AccountViewModel
        let clock: any Clock<Duration>
        let settings: SettingsViewModel
        let board: Notices
        let servers: StateStore<[String?]>
        /// Shows the profile.
        let open: @Sendable () async -> Void

        var state: AccountViewModel.State { model.store.state }

        /// Waits for a state.
        func until(_ holds: (AccountViewModel.State) -> Bool) async -> AccountViewModel.State {
            for await state in model.store.states where holds(state) { return state }
            return model.store.state
        }

        /// Waits until no request is running.
        @discardableResult func idle() async -> AccountViewModel.State {
            await until { $0.isIdle && $0.request != .fetch }
        }

        /// Waits for this many notices.
        func notices(_ count: Int) async -> [Notice.Content] {
            for await state in board.store.states where state.shown.count >= count {
                return state.shown.map(\.content)
            }
            return []
        }

        func signIn() async {
            _ = await until { if case .phone = $0.page { true } else { false } }
            model.send(.setPhone("+380501234567", isPossible: true))
            model.send(.sendCode)
            _ = await until { if case .code = $0.page { true } else { false } }
            await idle()
            model.send(.setCode("133337"))
            await idle()
        }
    }

    func flow<Value: Sendable>(
        _ account: FakeAccount,
        _ body: @escaping @Sendable (Driver) async -> Value
    ) async throws -> Value {
        let result = await Simulation.run { clock in
            let services = Services(account: account)
            let settings = await SettingsViewModel(AppSettings())
            let notices = Notices()
            let flow = AccountFlow(services: services, settings: settings, notices: notices, clock: clock)
            async let done: Void = flow.run()
            let driver = Driver(
                model: flow.model,
                clock: clock,
                settings: settings,
                board: notices,
                servers: services.servers,
                open: { await flow.opened() }
            )
            let value = await body(driver)
            await flow.finish()
            await done
            return value
        }
        return try #require(result, "all tasks wait")
    }

    nonisolated static func form(_ state: AccountViewModel.State) -> ProfileForm? {
        if case .edit(let form) = state.page { form } else { nil }
    }

    nonisolated static func code(_ state: AccountViewModel.State) -> CodeForm? {
        if case .code(let form) = state.page { form } else { nil }
    }

    // MARK: Signing in

    @Test("A known user signs in with phone and code, and sees the profile")
    func knownUser() async throws {
        let account = FakeAccount()
        let state = try await flow(account) { app in
            await app.signIn()
            return app.state
        }
        #expect(state.page == .profile)
        #expect(state.profile?.name == "Ann")
        #expect(account.requests == ["send +380501234567", "check 133337", "profile"])
        #expect(account.state.withLock(\.known)?.confirmed.id == 7)
    }

    @Test("A new user registers with the token that proves the phone number")
    func newUser() async throws {
        let account = FakeAccount()
        account.set { $0.exists = false }
        let state = try await flow(account) { app in
            await app.signIn()
            app.model.send(.setName(" Bob "))
            app.model.send(.setUsername("bob lee!"))
            app.model.send(.register)
            await app.idle()
            return app.state
        }
        #expect(state.page == .profile)
        #expect(account.requests.contains("register Bob boblee proof"))
    }

    @Test("A taken username is reported at its field, and the form retains its input")
    func taken() async throws {
        let account = FakeAccount()
        var failure = AccountFailure(.invalid, "the username is taken")
        failure.fields = [.init(field: "username", message: "the username is taken")]
        account.set { [failure] state in
            state.exists = false
            state.failures["register Bob bob proof"] = failure
        }
        let state = try await flow(account) { app in
            await app.signIn()
            app.model.send(.setName("Bob"))
            app.model.send(.setUsername("bob"))
            app.model.send(.register)
            return await app.idle()
        }
        guard case .registration(let form) = state.page else {
            Issue.record("the page is \(state.page)")
            return
        }
        #expect(form.refused == [.username: "the username is taken"])
        #expect(form.name == "Bob")
        #expect(state.failure == nil)
    }

    @Test(
        "If the verification of the phone has expired, a new code continues the registration with the same input"
    )
    func expired() async throws {
        let account = FakeAccount()
        account.set { state in
            state.exists = false
            state.failures["register Bob bob proof"] = AccountFailure(.forbidden, "too long ago")
        }
        let (expired, again) = try await flow(account) { app in
            await app.signIn()
            app.model.send(.setName("Bob"))
            app.model.send(.setUsername("bob"))
            app.model.send(.register)
            let expired = await app.until { if case .phone = $0.page { $0.isIdle } else { false } }
            account.set { $0.failures = [:] }
            app.model.send(.sendCode)
            _ = await app.until { if case .code = $0.page { $0.isIdle } else { false } }
            app.model.send(.setCode("133337"))
            return (expired, await app.idle())
        }
        guard case .phone(let phone) = expired.page, case .registration(let form) = again.page else {
            Issue.record("the pages are \(expired.page) and \(again.page)")
            return
        }
        #expect(phone.isExpired && phone.number == "+380501234567")
        #expect(form.name == "Bob" && form.username == "bob")
    }

    @Test("A wrong code is reported and cleared, and another code can be requested after the pause")
    func wrongCode() async throws {
        let account = FakeAccount()
        account.set { $0.failures["check 111111"] = AccountFailure(.notFound, "wrong") }
        let (refused, waited) = try await flow(account) { app in
            _ = await app.until { if case .phone = $0.page { true } else { false } }
            app.model.send(.setPhone("+380501234567", isPossible: true))
            app.model.send(.sendCode)
            _ = await app.until { Self.code($0) != nil && $0.isIdle }
            app.model.send(.sendCodeAgain)
            app.model.send(.setCode("your code: 111 111"))
            let refused = await app.idle()
            _ = await app.until { Self.code($0)?.resendIn == 0 }
            app.model.send(.sendCodeAgain)
            return (refused, await app.until { Self.code($0).map { $0.resendIn > 0 } ?? false })
        }
        #expect(Self.code(refused)?.digits.isEmpty == true)
        #expect(Self.code(refused)?.failure?.reason == .notFound)
        #expect(Self.code(waited)?.phone == "+380501234567")
        #expect(account.requests.filter { $0.hasPrefix("send") }.count == 2)
    }

    @Test("Going back from the code page restores the number, and a cancelled request has no later effect")
    func back() async throws {
        let account = FakeAccount()
        let pages = try await flow(account) { app in
            _ = await app.until { if case .phone = $0.page { true } else { false } }
            app.model.send(.setPhone("+380501234567", isPossible: true))
            account.set { $0.hangs = true }
            app.model.send(.sendCode)
            app.model.send(.sendCode)
            let waiting = app.state.request
            app.model.send(.back)
            let cancelled = app.state
            account.set { $0.hangs = false }
            app.model.send(.sendCode)
            _ = await app.until { Self.code($0) != nil && $0.isIdle }
            app.model.send(.back)
            return (waiting, cancelled, app.state)
        }
        #expect(pages.0 == .sendCode(phone: "+380501234567"))
        #expect(pages.1.isIdle)
        #expect(pages.2.page == .phone(PhoneForm(number: "+380501234567", isPossible: true)))
    }

    @Test("A connection failure is reported on the phone page")
    func offline() async throws {
        let account = FakeAccount()
        account.set { $0.failures["send +380501234567"] = FakeAccount.unreachable }
        let state = try await flow(account) { app in
            _ = await app.until { if case .phone = $0.page { true } else { false } }
            app.model.send(.setPhone("+380501234567", isPossible: true))
            app.model.send(.sendCode)
            return await app.idle()
        }
        #expect(
            state.page
                == .phone(
                    PhoneForm(number: "+380501234567", isPossible: true, failure: FakeAccount.unreachable)
                )
        )
    }

    // MARK: The profile

    @Test("A known profile is shown after a restart without a request")
    func restart() async throws {
        let account = FakeAccount()
        account.set { state in
            (state.user, state.known) = (7, KnownProfile(confirmed: FakeAccount.profile))
        }
        let state = try await flow(account) { app in await app.until { $0.profile != nil } }
        #expect(state.page == .profile)
        #expect(state.profile == FakeAccount.profile)
        #expect(account.requests.isEmpty)
    }

    @Test("A locked keyring is reported, and reading it can be retried")
    func locked() async throws {
        let account = FakeAccount()
        let failure = AccountFailure(.storeUnavailable, "the keyring is locked")
        account.set { $0.failures["user"] = failure }
        let state = try await flow(account) { app in
            let first = await app.until { $0.page != .opening }
            account.set { $0.failures = [:] }
            app.model.send(.refresh)
            _ = await app.until { if case .phone = $0.page { true } else { false } }
            return first
        }
        #expect(state.page == .unavailable(failure))
    }

    @Test("If the server ends the session, the phone page shows the reason")
    func expelled() async throws {
        let account = FakeAccount()
        account.set { state in
            (state.user, state.known) = (7, KnownProfile(confirmed: FakeAccount.profile))
        }
        let failure = AccountFailure(.signedOut, "the session was ended")
        let state = try await flow(account) { app in
            _ = await app.until { $0.profile != nil }
            account.change.yield(.signedOut(failure))
            return await app.until { $0.profile == nil }
        }
        #expect(state.page == .phone(PhoneForm(failure: failure)))
        #expect(account.state.withLock(\.known) == nil)
    }

    @Test("Signing out asks for confirmation, and then deletes the session and the profile on this computer")
    func signOut() async throws {
        let account = FakeAccount()
        let state = try await flow(account) { app in
            await app.signIn()
            app.model.send(.ask(.signOut))
            app.model.send(.cancel)
            let isStill = app.state.profile != nil && app.state.dialog == nil
            app.model.send(.ask(.signOut))
            app.model.send(.confirm)
            return (isStill, await app.until { $0.profile == nil })
        }
        #expect(state.0)
        #expect(state.1.page == .phone(PhoneForm()))
        #expect(account.state.withLock(\.known) == nil && account.state.withLock(\.user) == nil)
    }

    @Test("Sign-ins are listed, and ending one removes it from the list")
    func signIns() async throws {
        let account = FakeAccount()
        let state = try await flow(account) { app in
            await app.signIn()
            app.model.send(.listSignIns)
            let other = await app.idle().signIns?.last
            if let other { app.model.send(.ask(.end(other))) }
            app.model.send(.confirm)
            return await app.idle()
        }
        #expect(state.signIns?.map(\.id) == ["1"])
        #expect(account.requests.last == "end 2")
    }

    @Test("Deleting an account requires a new code, and a wrong code is refused in the sheet")
    func deletion() async throws {
        let account = FakeAccount()
        account.set { $0.failures["delete 000000"] = AccountFailure(.forbidden, "wrong") }
        let (refused, state, notices) = try await flow(account) { app in
            await app.signIn()
            app.model.send(.ask(.delete(nil)))
            app.model.send(.confirm)
            _ = await app.until { $0.dialog != .delete(nil) && $0.isIdle }
            app.model.send(.setCode("000000"))
            app.model.send(.confirm)
            let refused = await app.idle().dialog
            app.model.send(.setCode("133337"))
            app.model.send(.confirm)
            return (refused, await app.until { $0.profile == nil }, await app.notices(1))
        }
        guard case .delete(let form?)? = refused else {
            Issue.record("the dialog is \(refused as Any)")
            return
        }
        #expect(form.failure?.reason == .forbidden && form.digits.isEmpty)
        #expect(state.page == .phone(PhoneForm()))
        #expect(account.requests.last == "delete 133337")
        #expect(notices == [.accountDeleted])
    }

    @Test("An export is saved, and a notice names its path")
    func export() async throws {
        let account = FakeAccount()
        let shown = try await flow(account) { app in
            await app.signIn()
            app.model.send(.export)
            return await app.notices(1)
        }
        #expect(shown == [.accountExported("/documents/export.json")])
    }

    @Test("Selecting another server in the settings switches to the accounts of that server")
    func server() async throws {
        let account = FakeAccount()
        let servers = try await flow(account) { app in
            _ = await app.until { $0.page != .opening }
            app.settings.send(.setServer("https://example.org"))
            app.settings.send(.commit)
            for await servers in app.servers.states where servers.count == 2 { return servers }
            return []
        }
        #expect(servers == [nil, "https://example.org"])
    }
}
