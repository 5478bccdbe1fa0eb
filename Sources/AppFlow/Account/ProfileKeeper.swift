internal import AccountsCore
internal import Basics
internal import LiveCore

/// The profile of the signed-in user, which is stored on this computer and shown without a request to the server.
///
/// A change is stored before it is sent, so that it survives the end of the program.
@MainActor final class ProfileKeeper {
    private let store: StateStore<AccountViewModel.State>
    /// The profile with the unsent change, if any; nil if nobody is signed in.
    private(set) var known: KnownProfile?
    /// The number of times that the user was cleared from memory; if it grows during a request, the result belongs to a
    /// previous user.
    private var departures = 0

    nonisolated init(_ store: StateStore<AccountViewModel.State>) { self.store = store }

    /// Removes the current user from memory; the stored profile is not deleted.
    func clear() {
        known = nil
        departures += 1
    }

    /// Removes the current user and deletes the stored profile.
    func forget(_ service: any AccountService) async {
        clear()
        try? await service.keep(nil)
    }

    /// Fetches the profile, and its picture if the picture has changed.
    ///
    /// - Returns: Whether the user is still the current one.
    @discardableResult
    func fetch(_ service: any AccountService) async throws(AccountFailure) -> Bool {
        let departures = departures
        var profile = try await noting { () async throws(AccountFailure) in try await service.profile() }
        let before = known?.confirmed.id == profile.id ? known : nil
        var picture = before?.picture
        if before?.confirmed.avatars != profile.avatars || picture == nil {
            do throws(AccountFailure) { picture = try await service.picture(of: profile) } catch {
                if Task.isCancelled { throw error }
                // The former picture stays, and the new one is fetched the next time.
                profile.avatars = before?.confirmed.avatars ?? Profile.Avatars()
            }
        }
        guard departures == self.departures else { return false }
        await keep(KnownProfile(confirmed: profile, picture: picture, unsent: before?.unsent), service)
        return true
    }

    /// Makes a request, and records whether the server has answered it.
    func noting<Answer>(
        _ ask: () async throws(AccountFailure) -> Answer
    ) async throws(AccountFailure) -> Answer {
        do throws(AccountFailure) {
            let answer = try await ask()
            store.update { $0.isReached = true }
            return answer
        } catch {
            if !Task.isCancelled, let isReached = error.hasAnswer {
                store.update { $0.isReached = isReached }
            }
            throw error
        }
    }

    /// Stores and shows the profile.
    private func keep(_ known: KnownProfile, _ service: any AccountService) async {
        do { try await service.keep(known) } catch {
            let message = (error as? StoreFailure)?.message ?? "\(error)"
            store.update { $0.failure = AccountFailure(.storeUnavailable, message) }
        }
        await show(known, service)
    }

    /// Updates the shown profile, and returns to its page unless the user is editing the profile.
    func show(_ known: KnownProfile, _ service: any AccountService) async {
        let isNew = self.known?.currentPicture != known.currentPicture || store.state.picture == nil
        self.known = known
        var picture = store.state.picture
        if isNew { picture = await service.userPicture(known.currentPicture) }
        store.update { state in
            (state.profile, state.isUnsent) = (known.profile, known.unsent != nil)
            state.picture = picture
            if case .edit = state.page { return }
            state.page = .profile
        }
    }

    /// Stores a change and sends it; if the server refuses it, undoes it and shows the form with the change again.
    func save(_ change: ProfileChange, _ service: any AccountService) async throws(AccountFailure) {
        guard let before = known else { return }
        var kept = before
        // Stored before it is sent, so that nothing is lost if the program ends now.
        kept.unsent = kept.unsent?.followed(by: change) ?? change
        let form: ProfileForm? = if case .edit(let form) = store.state.page { form } else { nil }
        store.update { $0.page = .profile }
        await keep(kept, service)
        do throws(AccountFailure) { try await send(kept, service) } catch {
            guard error.isRefusalOfContent else {
                // The page shows that the change is not on the server yet; the change is sent again later.
                if error.isTemporary { return }
                throw error
            }
            await keep(before, service)
            guard var form else { throw error }
            form.refused = error.byField
            if error.reason == .tooLarge { form.refused[.avatar] = error.message }
            store.update { [form] in $0.page = .edit(form) }
            let shown: [AccountRules.Field] = [.name, .city, .birthday, .status, .avatar]
            if !form.refused.keys.contains(where: shown.contains) { throw error }
        }
    }

    /// Sends a change that the server has not confirmed yet.
    private func send(_ kept: KnownProfile, _ service: any AccountService) async throws(AccountFailure) {
        guard let change = kept.unsent else { return }
        let changed = try await noting { () async throws(AccountFailure) in
            try await service.change(kept.confirmed, by: change)
        }
        // The user may have been signed out meanwhile.
        guard known?.confirmed.id == changed.id else { return }
        await keep(KnownProfile(confirmed: changed, picture: kept.currentPicture), service)
    }

    /// Sends a change that could not be sent before; if the server refuses it, undoes it.
    ///
    /// - Throws: `AccountFailure` if the server refuses the change.
    func sendUnsent(_ service: any AccountService) async throws(AccountFailure) {
        guard let kept = known else { return }
        do throws(AccountFailure) { try await send(kept, service) } catch {
            guard error.isRefusalOfContent else { return }
            await keep(KnownProfile(confirmed: kept.confirmed, picture: kept.picture), service)
            throw error
        }
    }
}

extension AccountService {
    /// Decodes a profile picture; nil if there is none or it is damaged.
    func userPicture(_ bytes: [UInt8]?) async -> UserPicture? {
        guard let bytes else { return nil }
        return await decoded(bytes).map { UserPicture($0) }
    }
}

extension AccountFailure {
    /// Whether the failure is an answer of a working server; nil if the failure does not show this.
    fileprivate var hasAnswer: Bool? {
        switch reason {
        case .unreachable, .untrusted, .timedOut, .serverFailed: false
        case .signedOut, .forbidden, .notFound, .invalid, .tooLarge, .tooMany, .noAccounts, .refused: true
        case .storeUnavailable: nil
        }
    }

    /// Whether the server refuses the content, so that sending it again would fail, too.
    fileprivate var isRefusalOfContent: Bool { reason == .invalid || reason == .tooLarge }

    /// The server's messages about fields, by field.
    var byField: [AccountRules.Field: String] {
        let named = fields.compactMap { problem in
            // “base_64” and “filename” are parts of the picture.
            let isPicture = ["base_64", "filename"].contains(problem.field)
            let field = isPicture ? .avatar : AccountRules.Field(rawValue: problem.field)
            return field.map { ($0, problem.message) }
        }
        return Dictionary(named) { first, _ in first }
    }
}
