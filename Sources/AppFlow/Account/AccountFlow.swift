internal import AccountsCore
internal import Basics
internal import LiveCore

/// The flow of the user's account, which sends requests to the server and stores its answers.
@MainActor package final class AccountFlow {
    package nonisolated let model: AccountViewModel
    private let services: any AppServices
    private let settings: SettingsViewModel
    private let notices: Notices
    private let clock: any Clock<Duration>
    private let requests: AsyncStream<AccountViewModel.Request?>
    private let requestContinuation: AsyncStream<AccountViewModel.Request?>.Continuation
    /// The requests to check again which user is signed in.
    private let looks = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// A stream without elements that finishes when the flow must end.
    private let hold = AsyncStream.makeStream(of: Never.self)
    /// The account on the current server; nil while no server with accounts is in use.
    private var service: (any AccountService)?
    private let profile: ProfileKeeper
    /// The interval at which an unsent change is sent again.
    private static let pause = Duration.seconds(30)

    nonisolated init(
        services: any AppServices,
        settings: SettingsViewModel,
        notices: Notices,
        clock: any Clock<Duration>
    ) {
        (requests, requestContinuation) = AsyncStream.makeStream(of: AccountViewModel.Request?.self)
        (self.services, self.settings, self.notices, self.clock) = (services, settings, notices, clock)
        model = AccountViewModel(today: { CalendarDay(of: .now) }) { [requestContinuation] in
            requestContinuation.yield($0)
        }
        profile = ProfileKeeper(model.store)
    }

    private nonisolated var store: StateStore<AccountViewModel.State> { model.store }

    /// Runs the account on the server in the settings until `finish()` is called, which cancels pending requests.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.followServers() }
            // One reader for all servers, because cancelling the reader of an `AsyncStream` finishes the stream.
            group.addTask {
                await self.requests.forLatest { request in
                    if let request { await self.perform(request) }
                }
            }
            // The checks run one after the other, because a cancelled check would leave the page partly updated.
            group.addTask { for await _ in self.looks.stream { await self.look() } }
            for await _ in hold.stream {}
            group.cancelAll()
        }
    }

    func finish() { hold.continuation.finish() }

    /// Checks again which user is signed in, because the profile is shown.
    func opened() { looks.continuation.yield() }

    private func followServers() async {
        let (servers, server) = AsyncStream.makeStream(of: AppSettings.self)
        async let followed: Void = servers.forLatest { settings in
            await self.reset()
            await self.services.withAccount(settings) { await self.serve($0) }
            if !Task.isCancelled { await self.showNoAccount() }
        }
        var last: String??
        for await state in settings.store.states where last != .some(state.effective.server) {
            last = .some(state.effective.server)
            server.yield(state.effective)
        }
        server.finish()
        await followed
    }

    /// Removes the state of the previous server, and cancels the pending request.
    private func reset() {
        service = nil
        profile.clear()
        requestContinuation.yield(nil)
        store.update { $0 = AccountViewModel.State() }
    }

    private func showNoAccount() {
        store.update { state in
            guard state.page == .opening else { return }
            let message =
                "accounts cannot be used, because the server address has a “?”: remove it and all that follows"
            state.page = .unavailable(AccountFailure(.refused, message))
        }
    }

    /// Runs the account on one server until the task is cancelled.
    private func serve(_ service: any AccountService) async {
        self.service = service
        await withDiscardingTaskGroup { group in
            group.addTask { await self.countDown() }
            group.addTask { await self.sendUnsentChanges() }
            group.addTask {
                for await change in service.changes { await self.follow(change, service) }
            }
            group.addTask { await service.followStore { self.looks.continuation.yield() } }
            await open(service)
        }
        self.service = nil
    }

    /// Handles a change of the session: its end by the server, or a sign-in of another user by another program.
    private func follow(_ change: AccountChange, _ service: any AccountService) async {
        switch change {
        case .signedOut(let failure): await forget(service, because: failure)
        case .signedIn(let user):
            guard let known = profile.known, known.confirmed.id != user else { return }
            let before = known.profile.name
            await forget(service, because: nil)
            await open(service)
            tellSignIn(before: before)
        }
    }

    /// Opens the account if another program has signed in, unless a user is signed in here already.
    private func look() async {
        // If the stored tokens cannot be read, nothing changes.
        guard let service, let user = try? await service.look(), !Task.isCancelled else { return }
        let state = store.state
        // If a sign-in is in progress here, there is a request; it will replace the sign-in of the other program.
        guard profile.known == nil, state.request == nil, self.service != nil else { return }
        switch state.page {
        case .phone, .code, .registration, .unavailable: break
        case .opening, .profile, .edit: return
        }
        await open(service)
        if store.state.profile?.id == user { tellSignIn(before: nil) }
    }

    /// Posts a notice that another program has signed in; `before` is the name of the user it has replaced, if any.
    private func tellSignIn(before: String?) {
        guard let name = store.state.profile?.name else { return }
        notices.post(.signedInElsewhere(name, before: before))
    }

    /// Counts down the seconds until a code can be sent again.
    private func countDown() async {
        while (try? await clock.sleep(for: .seconds(1))) != nil {
            store.update { state in
                if case .code(var form) = state.page, form.resendIn > 0 {
                    form.resendIn -= 1
                    state.page = .code(form)
                }
            }
        }
    }

    // MARK: Requests

    private func perform(_ request: AccountViewModel.Request) async {
        do throws(AccountFailure) {
            guard let service else { throw AccountFailure(.unreachable, "there is no server for accounts") }
            try await attempt(request, service)
        } catch {
            guard !Task.isCancelled else { return }
            show(error, of: request)
        }
        // After a cancellation, an equal request may already run.
        guard !Task.isCancelled else { return }
        store.update { if $0.request == request { $0.request = nil } }
    }

    private func attempt(
        _ request: AccountViewModel.Request,
        _ service: any AccountService
    ) async throws(AccountFailure) {
        switch request {
        case .open: await open(service)
        case .sendCode(let phone):
            try await service.sendCode(to: phone)
            let testCode = await service.testCode()
            store.update { $0.testCode = testCode }
            turn(to: .code(CodeForm(phone: phone, purpose: .signIn)), after: request)
        case .checkCode(let code, let phone):
            switch try await service.check(code, of: phone) {
            case .signedIn: await welcome(service)
            case .unknown(let token):
                let form = RegistrationForm(phone: phone, token: token, like: store.state.draft)
                turn(to: .registration(form), after: request)
            }
        case .register(let form):
            let name = (try? form.checkedName()) ?? form.name
            try await service.register(form.phone, name: name, username: form.username, token: form.token)
            await welcome(service)
        case .fetch: try await profile.fetch(service)
        case .save(let change): try await profile.save(change, service)
        case .sendUnsent: try await profile.sendUnsent(service)
        case .listSignIns:
            let list = try await profile.noting { () async throws(AccountFailure) in
                try await service.signIns()
            }
            store.update { $0.signIns = list }
        case .end(let signIn):
            try await service.end(signIn.id)
            store.update { $0.signIns?.removeAll { $0.id == signIn.id } }
        case .export: notices.post(.accountExported(try await service.export()))
        case .sendDeletionCode:
            guard let phone = store.state.profile?.phone else { return }
            try await service.sendCode(to: phone)
            let testCode = await service.testCode()
            store.update { state in
                guard case .delete? = state.dialog else { return }
                state.testCode = testCode
                state.dialog = .delete(CodeForm(phone: phone, purpose: .deletion))
            }
        case .delete(let code):
            try await service.delete(code: code)
            await forget(service, because: nil)
            notices.post(.accountDeleted)
        case .signOut:
            await service.signOut()
            await forget(service, because: nil)
        case .choosePicture(let dialog): await choosePicture(dialog, service)
        case .readPicture(let file): await usePicture(file, service)
        case .watchCamera: await watchCamera()
        case .useFrame(let picture):
            await usePicture(service) { () async throws(PictureProblem) in
                try await service.picture(from: picture.frame)
            }
        }
    }

    /// Shows another page, unless the user has cancelled the request in the meantime.
    private func turn(to page: AccountViewModel.State.Page, after request: AccountViewModel.Request) {
        store.update { state in
            guard state.request == request else { return }
            (state.page, state.failure) = (page, nil)
        }
    }

    private func show(_ failure: AccountFailure, of request: AccountViewModel.Request) {
        var isPlaced = true
        store.update { state in
            guard state.request == request else { return }
            switch (request, state.page, state.dialog) {
            case (.sendCode, .phone(var form), _):
                form.failure = failure
                state.page = .phone(form)
            case (.sendCode, .code(var form), _):
                form.failure = failure
                if let wait = failure.wait { form.resendIn = Int(wait.components.seconds) }
                state.page = .code(form)
            case (.checkCode, .code(var form), _):
                // A code that could not be checked may be right.
                if [.notFound, .forbidden, .invalid].contains(failure.reason) {
                    form.refuse(failure)
                } else {
                    form.failure = failure
                }
                state.page = .code(form)
            case (.register, .registration(var form), _) where !failure.fields.isEmpty:
                form.refused = failure.byField
                state.page = .registration(form)
                isPlaced = form.refused.keys.contains { [.name, .username].contains($0) }
            case (.register, .registration(let form), _) where failure.reason == .forbidden:
                var phone = PhoneForm(number: form.phone, isPossible: true)
                phone.isExpired = true
                (state.page, state.draft) = (.phone(phone), form)
            case (.delete, _, .delete(var form?)?):
                form.refuse(failure)
                state.dialog = .delete(form)
            case (.open, _, _): state.page = .unavailable(failure)
            case (.fetch, _, nil) where state.profile == nil: state.failure = failure
            // A dialog that was opened in the meantime is unrelated to the fetch.
            case (.fetch, _, _): isPlaced = false
            case (_, _, .some): state.failure = failure
            default: isPlaced = false
            }
        }
        if !isPlaced { notices.post(.accountFailed(failure)) }
    }

    // MARK: The user

    /// Determines which user is signed in, and shows the stored profile, or fetches it if none is stored.
    private func open(_ service: any AccountService) async {
        do throws(AccountFailure) {
            guard let user = try await service.user() else {
                // Another program may have signed out.
                if await service.known() != nil { try? await service.keep(nil) }
                store.update { $0.page = .phone(PhoneForm()) }
                return
            }
            let kept = await service.known()
            if let kept, kept.confirmed.id == user {
                await profile.show(kept, service)
            } else {
                await welcome(service)
            }
        } catch {
            store.update { $0.page = .unavailable(error) }
        }
    }

    /// Fetches and shows the profile of a user who has just signed in.
    private func welcome(_ service: any AccountService) async {
        do throws(AccountFailure) { guard try await profile.fetch(service) else { return } } catch {
            guard !Task.isCancelled else { return }
            // The user is signed in all the same, and can fetch the profile later.
            store.update { state in
                (state.page, state.failure) = (.profile, error)
            }
        }
        store.update { if $0.page != .profile { $0.page = .profile } }
    }

    /// Removes the data of a user who has signed out, was signed out by the server, or has deleted the account.
    private func forget(_ service: any AccountService, because failure: AccountFailure?) async {
        await profile.forget(service)
        // Nothing else would release the camera.
        if store.state.request == .watchCamera { requestContinuation.yield(nil) }
        store.update { state in
            let testCode = state.testCode
            state = AccountViewModel.State(page: .phone(PhoneForm(failure: failure)))
            state.testCode = testCode
        }
    }

    // MARK: Changes

    /// Requests at regular intervals that an unsent change be sent.
    private func sendUnsentChanges() async {
        while (try? await clock.sleep(for: Self.pause)) != nil {
            guard profile.known?.unsent != nil else { continue }
            model.sendUnsent()
        }
    }

    // MARK: Pictures

    private func choosePicture(_ dialog: FileDialog, _ service: any AccountService) async {
        do {
            guard let file = try await services.choosePicture(dialog) else { return }
            await usePicture(file, service)
        } catch {
            if !Task.isCancelled { notices.post(.noPictureDialog) }
        }
    }

    /// Shows the video of the camera until the task is cancelled.
    private func watchCamera() async {
        do throws(PictureProblem) {
            try await services.watchCamera(settings.store.state.effective) { [store] frame in
                store.update { if $0.dialog == .camera { $0.camera = UserPicture(frame) } }
            }
        } catch {
            guard !Task.isCancelled else { return }
            store.update { state in
                guard state.dialog == .camera else { return }
                (state.dialog, state.camera) = (nil, nil)
            }
            show(nil, error)
        }
    }

    private func usePicture(_ file: String, _ service: any AccountService) async {
        await usePicture(service) { () async throws(PictureProblem) in try await service.picture(from: file) }
    }

    /// Creates the user's new picture with `make` and shows it in the form, unless the task is cancelled.
    private func usePicture(
        _ service: any AccountService,
        _ make: () async throws(PictureProblem) -> [UInt8]
    ) async {
        do throws(PictureProblem) {
            let bytes = try await make()
            let picture = await service.userPicture(bytes)
            guard !Task.isCancelled else { return }
            show((bytes, picture), nil)
        } catch {
            if !Task.isCancelled { show(nil, error) }
        }
    }

    private func show(_ picture: (bytes: [UInt8], decoded: UserPicture?)?, _ problem: PictureProblem?) {
        store.update { state in
            guard case .edit(var form) = state.page else { return }
            if let picture { form.setPicture(picture.bytes, picture.decoded) }
            form.pictureProblem = problem
            state.page = .edit(form)
        }
    }
}
