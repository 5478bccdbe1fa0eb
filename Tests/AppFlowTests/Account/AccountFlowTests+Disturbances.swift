import AccountsCore
import Basics
import Synchronization
import Testing

@testable import AppFlow

// What comes between: other servers, other programs, a lost network.

extension AccountFlowTests {
    @Test("After another server is selected, the user can sign in there")
    func otherServer() async throws {
        let account = FakeAccount()
        let state = try await flow(account) { app in
            _ = await app.until { if case .phone = $0.page { true } else { false } }
            account.set { $0.hangs = true }
            app.model.send(.setPhone("+380501234567", isPossible: true))
            app.model.send(.sendCode)
            app.settings.send(.setServer("https://example.org"))
            app.settings.send(.commit)
            for await servers in app.servers.states where servers.count == 2 { break }
            account.set { $0.hangs = false }
            _ = await app.until { $0.isIdle && $0.page == .phone(PhoneForm()) }
            await app.signIn()
            return app.state
        }
        #expect(state.page == .profile && state.profile?.name == "Ann")
    }

    @Test("If a stored change is being sent in the background, a new change is merged with it")
    func race() async throws {
        let account = FakeAccount()
        let (state, kept) = try await flow(account) { app in
            await app.signIn()
            account.set { $0.failures["change"] = FakeAccount.unreachable }
            app.model.send(.edit)
            app.model.send(.set("Lviv", of: .city))
            app.model.send(.save)
            await app.idle()
            account.set { state in (state.failures, state.hangs) = ([:], true) }
            _ = await app.until { $0.request == .sendUnsent }
            app.model.send(.edit)
            app.model.send(.set("about me", of: .status))
            account.set { state in (state.failures["change"], state.hangs) = (FakeAccount.unreachable, false)
            }
            app.model.send(.save)
            await app.idle()
            let kept = account.state.withLock(\.known)
            account.set { $0.failures = [:] }
            return (await app.until { !$0.isUnsent }, kept)
        }
        #expect(kept?.unsent?.city == "Lviv" && kept?.unsent?.about == "about me")
        #expect(state.profile?.city == "Lviv" && state.profile?.about == "about me")
    }

    @Test(
        "A profile change answered by a redirect is sent again later, and undone if the server then refuses it"
    )
    func refusedLater() async throws {
        let account = FakeAccount()
        let refusal = AccountFailure(.refused, "302")
        let (between, refused, notices) = try await flow(account) { app in
            await app.signIn()
            account.set { $0.failures["change"] = refusal }
            app.model.send(.edit)
            app.model.send(.set("Lviv", of: .city))
            app.model.send(.save)
            let between = await app.idle()
            account.set { $0.failures["change"] = AccountFailure(.invalid, "no such city") }
            let refused = await app.until { !$0.isUnsent }
            return (between, refused, await app.notices(2))
        }
        #expect(between.isUnsent && between.profile?.city == "Lviv" && between.failure == nil)
        #expect(
            notices == [.accountFailed(refusal), .accountFailed(AccountFailure(.invalid, "no such city"))]
        )
        #expect(refused.profile?.city == "Kyiv" && !refused.isUnsent)
    }

    @Test("If the server refuses a second change, the unsent first change is retained")
    func secondRefused() async throws {
        let account = FakeAccount()
        let kept = try await flow(account) { app in
            await app.signIn()
            account.set { $0.failures["change"] = FakeAccount.unreachable }
            app.model.send(.edit)
            app.model.send(.set("Lviv", of: .city))
            app.model.send(.save)
            await app.idle()
            var failure = AccountFailure(.invalid, "no")
            failure.fields = [.init(field: "status", message: "no")]
            account.set { [failure] in $0.failures["change"] = failure }
            app.model.send(.edit)
            app.model.send(.set("about me", of: .status))
            app.model.send(.save)
            _ = await app.until { $0.isIdle && Self.form($0) != nil }
            return account.state.withLock(\.known)
        }
        #expect(kept?.unsent?.city == "Lviv" && kept?.unsent?.about == nil)
    }

    @Test(
        "While a refresh of the profile hangs, other commands work, and going back cancels the refresh"
    )
    func slowRefresh() async throws {
        let account = FakeAccount()
        let (refreshing, editing, ended, signIns) = try await flow(account) { app in
            await app.signIn()
            account.set { $0.hangs = true }
            app.model.send(.refresh)
            let refreshing = app.state
            app.model.send(.edit)
            let editing = app.state
            app.model.send(.back)
            app.model.send(.back)
            let ended = app.state
            app.model.send(.refresh)
            account.set { $0.hangs = false }
            app.model.send(.listSignIns)
            return (refreshing, editing, ended, await app.until { $0.signIns != nil && $0.request == nil })
        }
        #expect(refreshing.request == .fetch && refreshing.isIdle)
        #expect(Self.form(editing) != nil)
        #expect(ended.request == nil && ended.page == .profile)
        #expect(signIns.failure == nil)
    }

    @Test("If a new picture cannot be fetched, the previous one stays until the next refresh fetches it")
    func pictureLater() async throws {
        let account = FakeAccount()
        account.set { $0.profile.avatars.normal = "/old" }
        let (kept, later) = try await flow(account) { app in
            await app.signIn()
            account.set { state in
                state.profile.avatars.normal = "/new"
                state.failures["picture"] = FakeAccount.unreachable
            }
            app.model.send(.refresh)
            await app.idle()
            let kept = account.state.withLock(\.known)
            account.set { $0.failures = [:] }
            app.model.send(.refresh)
            await app.idle()
            return (kept, account.state.withLock(\.known))
        }
        #expect(kept?.picture == [1, 2, 3] && kept?.confirmed.avatars.normal == "/old")
        #expect(later?.confirmed.avatars.normal == "/new")
    }

    @Test("A code that could not be checked stays in the field and can be submitted again")
    func uncheckedCode() async throws {
        let account = FakeAccount()
        account.set { $0.failures["check 133337"] = FakeAccount.unreachable }
        let (kept, state) = try await flow(account) { app in
            await app.signIn()
            let kept = Self.code(app.state)
            account.set { $0.failures = [:] }
            app.model.send(.submitCode)
            return (kept, await app.until { $0.page == .profile })
        }
        #expect(kept?.digits == "133337" && kept?.failure?.reason == .unreachable)
        #expect(state.profile?.name == "Ann")
    }

    @Test("The app shows a user whom another program signs in, and deletes a profile without a session")
    func otherProgram() async throws {
        let account = FakeAccount()
        let state = try await flow(account) { app in
            await app.signIn()
            account.set { state in
                state.profile = Profile(id: 8, phone: "+380507654321", name: "Bob", username: "bob")
                state.user = 8
            }
            account.change.yield(.signedIn(user: 8))
            return await app.until { $0.profile?.id == 8 }
        }
        #expect(state.profile?.name == "Bob")
        let other = FakeAccount()
        other.set { $0.known = KnownProfile(confirmed: FakeAccount.profile) }
        let page = try await flow(other) { app in await app.until { $0.page != .opening }.page }
        #expect(page == .phone(PhoneForm()))
        #expect(other.state.withLock(\.known) == nil)
    }

    @Test(
        "A sign-in by another program is shown as soon as its token is stored, or when the profile is opened",
        arguments: [true, false]
    )
    func signedInElsewhere(isReported: Bool) async throws {
        let account = FakeAccount()
        let (state, notices) = try await flow(account) { app in
            _ = await app.until { if case .phone = $0.page { true } else { false } }
            account.set { $0.user = 7 }
            if isReported { account.storeChange.continuation.yield() } else { await app.open() }
            _ = await app.until { $0.page == .profile && $0.profile != nil }
            return (app.state, await app.notices(1))
        }
        #expect(state.profile?.name == "Ann")
        #expect(notices == [.signedInElsewhere("Ann", before: nil)])
    }

    @Test("Both a sign-out and a later sign-in by another program are reported")
    func signedOutElsewhere() async throws {
        let account = FakeAccount()
        let (page, notices) = try await flow(account) { app in
            await app.signIn()
            account.set { $0.user = nil }
            account.change.yield(.signedOut(.signedOutElsewhere))
            let page = await app.until { $0.page != .profile }.page
            account.set { $0.user = 7 }
            account.storeChange.continuation.yield()
            _ = await app.until { $0.page == .profile && $0.profile != nil }
            return (page, await app.notices(1))
        }
        #expect(page == .phone(PhoneForm(failure: .signedOutElsewhere)))
        #expect(notices == [.signedInElsewhere("Ann", before: nil)])
    }

    @Test("If another program replaces the user, a notice names the old and the new user")
    func replaced() async throws {
        let account = FakeAccount()
        let notices = try await flow(account) { app in
            await app.signIn()
            account.set { state in
                state.profile = Profile(id: 8, phone: "+380507654321", name: "Bob", username: "bob")
                state.user = 8
            }
            account.change.yield(.signedIn(user: 8))
            return await app.notices(1)
        }
        #expect(notices == [.signedInElsewhere("Bob", before: "Ann")])
    }

    @Test(
        "The user is shown as online only while the server answers; before its first answer, presence is unknown"
    )
    func online() async throws {
        let account = FakeAccount()
        account.set { $0.profile.isOnline = true }
        let presence = try await flow(account) { app in
            await app.signIn()
            var presence = [app.state.isOnline]
            account.set { state in
                state.failures = ["profile": FakeAccount.unreachable, "change": FakeAccount.unreachable]
            }
            app.model.send(.refresh)
            presence.append(await app.idle().isOnline)
            account.set { $0.failures["profile"] = nil }
            app.model.send(.refresh)
            presence.append(await app.idle().isOnline)
            app.model.send(.edit)
            app.model.send(.set("Lviv", of: .city))
            app.model.send(.save)
            presence.append(await app.idle().isOnline)
            return presence
        }
        #expect(presence == [true, false, true, false])
        let later = try await flow(account) { app in await app.until { $0.page == .profile } }
        #expect(later.profile?.isOnline == true && later.isOnline == nil)
    }

    @Test(
        "A server without accounts is reported on the phone page, and the number can be submitted again"
    )
    func noAccounts() async throws {
        let account = FakeAccount()
        account.set { $0.failures["send +380501234567"] = AccountFailure(.noAccounts, "off") }
        let (told, state) = try await flow(account) { app in
            _ = await app.until { if case .phone = $0.page { true } else { false } }
            app.model.send(.setPhone("+380501234567", isPossible: true))
            app.model.send(.sendCode)
            let told = await app.idle()
            account.set { $0.failures = [:] }
            app.model.send(.sendCode)
            return (told, await app.until { if case .code = $0.page { true } else { false } })
        }
        guard case .phone(let form) = told.page else {
            Issue.record("the page is \(told.page)")
            return
        }
        #expect(form.failure?.reason == .noAccounts && form.canProceed)
        #expect(Self.code(state)?.phone == "+380501234567")
    }

    @Test(
        "Selecting the current destination again leaves the form, and asks first if there are unsaved changes"
    )
    func reselected() async throws {
        let account = FakeAccount()
        let (plain, changed) = try await flow(account) { app in
            await app.signIn()
            app.model.send(.edit)
            app.model.reselect()
            let plain = app.state.page
            app.model.send(.edit)
            app.model.send(.set("Lviv", of: .city))
            app.model.reselect()
            return (plain, app.state)
        }
        #expect(plain == .profile)
        #expect(Self.form(changed) != nil && changed.dialog == .leaveEditing)
    }
}
