package import AccountsCore
package import Basics

/// The view model of the user's account: sign-in, registration, the profile and its editing.
@MainActor package final class AccountViewModel: ViewModel {
    package struct State: Equatable, Sendable {
        package enum Page: Equatable, Sendable {
            /// It is not known yet whether a user is signed in.
            case opening
            /// It could not be determined which user is signed in.
            case unavailable(AccountFailure)
            case phone(PhoneForm)
            case code(CodeForm)
            case registration(RegistrationForm)
            case profile
            case edit(ProfileForm)
        }

        package var page = Page.opening
        /// The request in progress.
        package var request: Request?
        /// The failure to show: that of fetching or storing the profile, or that of the open dialog's request.
        package var failure: AccountFailure?
        package var dialog: Dialog?
        /// The last frame of the camera, while the user takes a picture.
        package var camera: UserPicture?
        /// An unfinished registration that the user has left.
        var draft: RegistrationForm?
        /// The sign-in code that all users share, if the server is a test server.
        package var testCode: String?

        /// The user's profile; nil if nobody is signed in, or if the profile has never been fetched.
        package var profile: Profile?
        package var picture: UserPicture?
        /// Whether the server has answered the last request of this session; nil before the first request.
        package var isReached: Bool?
        /// Whether the server has not confirmed the last change yet.
        package var isUnsent = false
        /// The user's sign-ins; nil until they have been fetched.
        package var signIns: [SignIn]?

        /// Whether a button can start a request to the server.
        ///
        /// A change being sent in the background and a refresh of the profile do not prevent this.
        package var isIdle: Bool { request == nil || request == .sendUnsent || request == .fetch }

        /// Whether others see the user as online; nil until the server has answered.
        package var isOnline: Bool? {
            guard let isReached, let profile else { return nil }
            return isReached && profile.isOnline
        }

        /// The name of the screen for scripts.
        var name: String {
            switch page {
            case .opening, .unavailable: "account"
            case .phone: "phone"
            case .code: "code"
            case .registration: "registration"
            case .profile: "profile"
            case .edit: "profile-edit"
            }
        }
    }

    /// A question in a sheet.
    package enum Dialog: Hashable, Sendable {
        /// Asks whether to discard unsaved changes of the profile.
        case leaveEditing
        case signOut
        /// Asks whether to sign out the device of this sign-in.
        case end(SignIn)
        /// Asks whether to delete the account; the form is nil until a code has been sent.
        case delete(CodeForm?)
        /// The video of the camera, with a button that takes the picture.
        case camera
    }

    /// A task that is performed in the background: a request to the server, or an operation on this computer.
    package enum Request: Hashable, Sendable {
        /// Determines which user is signed in.
        case open
        case sendCode(phone: String)
        case checkCode(String, phone: String)
        case register(RegistrationForm)
        case fetch
        case save(ProfileChange)
        /// Sends a change that the server has not confirmed yet.
        case sendUnsent
        case listSignIns
        case end(SignIn)
        case export
        case sendDeletionCode
        case delete(code: String)
        case signOut
        case choosePicture(FileDialog)
        case readPicture(String)
        /// Shows the video of the camera.
        case watchCamera
        case useFrame(UserPicture)
    }

    package enum Action: Hashable, Sendable {
        case setPhone(String, isPossible: Bool)
        case sendCode
        case setCode(String)
        case submitCode
        case sendCodeAgain
        case setName(String)
        case setUsername(String)
        case register
        /// Returns to the previous page, or cancels a request.
        case back
        case refresh
        case edit
        case set(String, of: AccountRules.Field)
        case choosePicture(FileDialog)
        case usePicture(file: String)
        /// Shows the video of the camera, from which `confirm` takes a picture.
        case openCamera
        case removePicture
        case save
        case listSignIns
        case export
        case ask(Dialog)
        case confirm
        /// Closes the dialog, or removes the message about a failure.
        case cancel
    }

    package nonisolated let store = StateStore(State())
    private let today: @Sendable () -> CalendarDay?
    private let perform: @Sendable (Request?) -> Void

    /// Creates a view model; `perform` cancels the request in progress, if any, and performs the new one unless it is
    /// nil.
    nonisolated init(
        today: @escaping @Sendable () -> CalendarDay?,
        perform: @escaping @Sendable (Request?) -> Void
    ) {
        (self.today, self.perform) = (today, perform)
    }

    /// The current day.
    package nonisolated var day: CalendarDay { today() ?? CalendarDay.distantFuture }

    package nonisolated func send(_ action: Action) {
        var wanted: Request?
        var isCancelled = false
        store.update { state in
            let before = (request: state.request, isCamera: state.dialog == .camera)
            wanted = handle(action, &state)
            if let wanted { (state.request, state.failure) = (wanted, nil) }
            let isCameraClosed = before.isCamera && state.dialog != .camera
            isCancelled = wanted == nil && (before.request != nil && state.request == nil || isCameraClosed)
        }
        if wanted != nil || isCancelled { perform(wanted) }
    }

    /// Sends an unsent change if the profile page is shown and no request is in progress.
    nonisolated func sendUnsent() {
        var isWanted = false
        store.update { state in
            guard state.request == nil, state.page == .profile else { return }
            (state.request, isWanted) = (.sendUnsent, true)
        }
        if isWanted { perform(.sendUnsent) }
    }

    /// Closes the camera, because another screen is shown and a call may need the camera.
    nonisolated func leave() {
        if store.state.dialog == .camera { send(.cancel) }
    }

    /// Returns to the profile, because the user has selected the current destination again.
    nonisolated func reselect() {
        let state = store.state
        if case .edit = state.page, state.dialog == nil { send(.back) }
    }

    /// Handles an action, and returns the request that it requires, if any.
    private nonisolated func handle(_ action: Action, _ state: inout State) -> Request? {
        switch action {
        case .back: return goBack(&state)
        case .cancel:
            if state.dialog == nil { state.failure = nil }
            if case .delete? = state.dialog { state.request = nil }
            if state.dialog == .camera { state.request = nil }
            (state.dialog, state.camera) = (nil, nil)
            return nil
        case .setCode(let text) where state.dialog != nil: return enterDeletionCode(text, &state)
        case .confirm: return confirm(&state)
        default: break
        }
        // A request of the user must end or be cancelled before another one begins.
        guard state.isIdle else { return nil }
        return handleIdle(action, &state)
    }

    private nonisolated func handleIdle(_ action: Action, _ state: inout State) -> Request? {
        switch (action, state.page) {
        case (.setPhone(let number, let isPossible), .phone(var form)):
            if number != form.number { (form.failure, form.isExpired) = (nil, false) }
            (form.number, form.isPossible) = (number, isPossible)
            state.page = .phone(form)
        case (.sendCode, .phone(let form)) where form.canProceed: return .sendCode(phone: form.number)
        case (.setCode(let text), .code(var form)):
            let wasComplete = form.isComplete
            form.enter(text)
            state.page = .code(form)
            if form.isComplete, !wasComplete { return .checkCode(form.digits, phone: form.phone) }
        case (.submitCode, .code(let form)) where form.isComplete:
            return .checkCode(form.digits, phone: form.phone)
        case (.sendCodeAgain, .code(let form)) where form.resendIn == 0: return .sendCode(phone: form.phone)
        case (.setName(let text), .registration(var form)):
            form.setName(text)
            state.page = .registration(form)
        case (.setUsername(let text), .registration(var form)):
            form.setUsername(text)
            state.page = .registration(form)
        case (.register, .registration(let form)) where form.canProceed: return .register(form)
        case (.refresh, .unavailable): return .open
        case (.refresh, .profile): return .fetch
        case (.listSignIns, .profile): return .listSignIns
        case (.export, .profile): return .export
        case (.edit, .profile):
            guard let profile = state.profile else { return .fetch }
            state.page = .edit(ProfileForm(profile))
        case (.ask(let dialog), .profile): state.dialog = dialog
        default: return handleEditing(action, &state)
        }
        return nil
    }

    private nonisolated func handleEditing(_ action: Action, _ state: inout State) -> Request? {
        guard case .edit(var form) = state.page else { return nil }
        switch action {
        case .set(let text, let field): form.set(text, of: field)
        case .removePicture: form.removePicture()
        case .choosePicture(let dialog): return .choosePicture(dialog)
        case .usePicture(let file): return .readPicture(file)
        case .openCamera:
            state.dialog = .camera
            return .watchCamera
        case .save:
            guard let change = form.change(today: day), !change.isEmpty else { return nil }
            return .save(change)
        default: return nil
        }
        state.page = .edit(form)
        return nil
    }

    private nonisolated func goBack(_ state: inout State) -> Request? {
        if state.dialog == .camera { return handle(.cancel, &state) }
        let isRefreshing = state.request == .fetch && state.page == .profile
        if !state.isIdle || isRefreshing, state.page != .opening {
            // The first press of Esc ends the waiting.
            state.request = nil
            return nil
        }
        state.failure = nil
        switch state.page {
        case .code(let form): state.page = .phone(PhoneForm(number: form.phone, isPossible: true))
        case .registration(let form):
            state.page = .phone(PhoneForm(number: form.phone, isPossible: true))
            state.draft = form
        case .edit(let form) where form.isChanged: state.dialog = .leaveEditing
        case .edit: state.page = .profile
        case .opening, .unavailable, .phone, .profile: break
        }
        return nil
    }

    private nonisolated func confirm(_ state: inout State) -> Request? {
        guard let dialog = state.dialog, state.isIdle || dialog == .camera else { return nil }
        switch dialog {
        case .leaveEditing:
            (state.dialog, state.page) = (nil, .profile)
            return nil
        case .signOut:
            state.dialog = nil
            return .signOut
        case .end(let signIn):
            state.dialog = nil
            return .end(signIn)
        case .camera: return takePicture(&state)
        case .delete(nil): return .sendDeletionCode
        case .delete(let form?): return form.isComplete ? .delete(code: form.digits) : nil
        }
    }

    private nonisolated func takePicture(_ state: inout State) -> Request? {
        guard let picture = state.camera else { return nil }
        (state.dialog, state.camera) = (nil, nil)
        return .useFrame(picture)
    }

    private nonisolated func enterDeletionCode(_ text: String, _ state: inout State) -> Request? {
        guard case .delete(var form?)? = state.dialog, state.isIdle else { return nil }
        form.enter(text)
        state.dialog = .delete(form)
        return nil
    }
}

extension CalendarDay {
    /// The last supported day, used if the current day is unknown.
    fileprivate static let distantFuture = CalendarDay("9999-12-31")!  // this text is a day
}
