import AccountsCore
import Basics
import Synchronization
import Testing

@testable import AppFlow

extension AccountFlowTests {
    @Test("Saving a change updates the profile, and does not change fields that are not in the form")
    func edit() async throws {
        let account = FakeAccount()
        let state = try await flow(account) { app in
            await app.signIn()
            app.model.send(.edit)
            app.model.send(.set("Lviv", of: .city))
            app.model.send(.set("1.5.1990", of: .birthday))
            app.model.send(.save)
            return await app.idle()
        }
        #expect(state.page == .profile && !state.isUnsent)
        #expect(state.profile?.city == "Lviv")
        #expect(state.profile?.birthday?.description == "1990-05-01")
        #expect(account.state.withLock(\.profile).vk == "id7")
    }

    @Test("A change of the profile that cannot be sent is stored and sent later")
    func unsent() async throws {
        let account = FakeAccount()
        let (offline, kept, online) = try await flow(account) { app in
            await app.signIn()
            account.set { $0.failures["change"] = FakeAccount.unreachable }
            app.model.send(.edit)
            app.model.send(.set("Lviv", of: .city))
            app.model.send(.save)
            let offline = await app.idle()
            let kept = account.state.withLock(\.known)
            account.set { $0.failures = [:] }
            return (offline, kept, await app.until { !$0.isUnsent })
        }
        #expect(offline.isUnsent && offline.profile?.city == "Lviv")
        #expect(offline.failure == nil)
        #expect(kept?.unsent?.city == "Lviv" && kept?.confirmed.city == "Kyiv")
        #expect(online.profile?.city == "Lviv")
        #expect(account.state.withLock(\.profile).city == "Lviv")
    }

    @Test("A change that the server refuses is undone, and the field is marked in the form")
    func refused() async throws {
        let account = FakeAccount()
        var failure = AccountFailure(.invalid, "no such city")
        failure.fields = [.init(field: "city", message: "no such city")]
        account.set { [failure] in $0.failures["change"] = failure }
        let state = try await flow(account) { app in
            await app.signIn()
            app.model.send(.edit)
            app.model.send(.set("Nowhere", of: .city))
            app.model.send(.save)
            return await app.until { $0.isIdle && Self.form($0) != nil }
        }
        #expect(Self.form(state)?.refused == [.city: "no such city"])
        #expect(Self.form(state)?.city == "Nowhere")
        #expect(state.profile?.city == "Kyiv" && !state.isUnsent)
        #expect(account.state.withLock(\.known)?.unsent == nil)
    }

    @Test("Leaving the form asks for confirmation only if there are unsaved changes")
    func leaving() async throws {
        let account = FakeAccount()
        let states = try await flow(account) { app in
            await app.signIn()
            app.model.send(.edit)
            app.model.send(.back)
            let unchanged = app.state
            app.model.send(.edit)
            app.model.send(.set("Lviv", of: .city))
            app.model.send(.back)
            let asked = app.state
            app.model.send(.confirm)
            return (unchanged, asked, app.state)
        }
        #expect(states.0.page == .profile && states.0.dialog == nil)
        #expect(states.1.dialog == .leaveEditing)
        #expect(states.2.page == .profile && states.2.profile?.city == "Kyiv")
    }

    @Test("An image file becomes the profile picture, and any other file is refused")
    func picture() async throws {
        let account = FakeAccount()
        let (refused, state) = try await flow(account) { app in
            await app.signIn()
            app.model.send(.edit)
            app.model.send(.usePicture(file: "/a.txt"))
            let refused = await app.until { $0.isIdle && Self.form($0)?.pictureProblem != nil }
            app.model.send(.usePicture(file: "/a.jpg"))
            _ = await app.until { $0.isIdle && Self.form($0)?.avatar != nil }
            app.model.send(.save)
            return (refused, await app.until { $0.page == .profile && $0.isIdle })
        }
        #expect(Self.form(refused)?.pictureProblem == .notAPicture)
        #expect(!state.isUnsent)
        #expect(account.state.withLock(\.known)?.picture == [4, 5])
    }

    @Test("A snapshot of the camera becomes the profile picture, and the camera is closed")
    func camera() async throws {
        let account = FakeAccount()
        let (seen, taken) = try await flow(account) { app in
            await app.signIn()
            app.model.send(.edit)
            app.model.send(.openCamera)
            let seen = await app.until { $0.camera?.frame.size.width == 16 }
            app.model.send(.confirm)
            return (seen, await app.until { $0.isIdle && Self.form($0)?.avatar != nil })
        }
        #expect(seen.dialog == .camera)
        #expect(taken.dialog == nil && taken.camera == nil)
        #expect(Self.form(taken)?.avatar == .picture(name: "avatar.jpg", bytes: [6, 16]))
        #expect(account.state.withLock(\.cameraCloses) == 1)
    }

    @Test("Cancelling the camera sheet closes the camera, and a missing camera is reported in the form")
    func noCamera() async throws {
        let account = FakeAccount()
        let (closed, failed) = try await flow(account) { app in
            await app.signIn()
            app.model.send(.edit)
            app.model.send(.openCamera)
            _ = await app.until { $0.camera != nil }
            app.model.send(.cancel)
            let closed = await app.idle()
            account.set { $0.hasCamera = false }
            app.model.send(.openCamera)
            return (closed, await app.until { $0.isIdle && Self.form($0)?.pictureProblem != nil })
        }
        #expect(closed.dialog == nil && closed.camera == nil)
        #expect(failed.dialog == nil && Self.form(failed)?.pictureProblem == .noCamera)
        #expect(account.state.withLock(\.cameraCloses) == 1)
    }

    @Test(
        "The camera is closed when the user is signed out or another screen is shown",
        arguments: [false, true]
    )
    func leavingCamera(isSignedOut: Bool) async throws {
        let account = FakeAccount()
        let state = try await flow(account) { app in
            await app.signIn()
            app.model.send(.edit)
            app.model.send(.openCamera)
            _ = await app.until { $0.camera != nil }
            if isSignedOut {
                account.change.yield(.signedOut(AccountFailure(.signedOut, "refused")))
            } else {
                app.model.leave()
            }
            let state = await app.until { $0.dialog == nil }
            // In virtual time, this is over once all others wait.
            try? await app.clock.sleep(for: .seconds(1))
            return state
        }
        #expect(state.camera == nil && state.isIdle)
        #expect(account.state.withLock(\.cameraCloses) == 1)
    }

    @Test("Each opened camera is closed, even if the user opens and cancels it in quick succession")
    func reopenedCamera() async throws {
        let account = FakeAccount()
        let state = try await flow(account) { app in
            await app.signIn()
            app.model.send(.edit)
            for _ in 0..<2 {
                app.model.send(.openCamera)
                _ = await app.until { $0.camera != nil }
                app.model.send(.cancel)
            }
            app.model.send(.openCamera)
            app.model.send(.cancel)
            try? await app.clock.sleep(for: .seconds(1))
            return app.state
        }
        #expect(state.dialog == nil && state.isIdle && state.camera == nil)
        let (opens, closes) = account.state.withLock { ($0.cameraOpens, $0.cameraCloses) }
        #expect(opens == closes && opens >= 2)
    }
}
