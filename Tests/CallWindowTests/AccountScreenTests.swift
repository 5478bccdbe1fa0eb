import AccountsCore
import Basics
import LiveCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("The screen of the account")
    @WindowActor struct AccountScreenTests {
        private let bench: ScreenBench
        private let model: AccountViewModel

        init() async throws {
            bench = try await ScreenBench(width: 480, height: 854, hasBar: true, hasAccount: true)
            model = try #require(bench.shell?.account).model
        }

        private var places: [ControlID: Box] { bench.window.screenHost.ui.places }
        private var focused: ControlID? { bench.window.screenHost.ui.focus.focused }

        private func show(_ page: AccountViewModel.State.Page) {
            model.store.update { $0.page = page }
            bench.show(.account(model))
            bench.settle()
        }

        private var phone: PhoneForm? {
            if case .phone(let form) = model.store.state.page { form } else { nil }
        }

        private var code: CodeForm? {
            if case .code(let form) = model.store.state.page { form } else { nil }
        }

        @Test("The country of the locale is preselected, and typed digits form a number in that country")
        func phoneNumber() throws {
            show(.phone(PhoneForm()))
            #expect(focused == PhonePage.field)
            bench.type("50 123 45 67")
            #expect(phone?.number == "+380501234567" && phone?.isPossible == true)
            bench.handle(.key(.edit(.backspace, ctrl: false, shift: false)))
            #expect(phone?.number == "+38050123456" && phone?.isPossible == false)
        }

        @Test("Ctrl+A selects the number, and the next digits replace it")
        func selection() throws {
            show(.phone(PhoneForm()))
            bench.type("50 123")
            bench.handle(.key(.edit(.a, ctrl: true, shift: false)))
            bench.type("+48 512 345 678")
            #expect(phone?.number == "+48512345678")
            bench.handle(.key(.edit(.a, ctrl: true, shift: false)))
            bench.handle(.key(.edit(.backspace, ctrl: false, shift: false)))
            #expect(phone?.number == "")
            bench.type("5")
            #expect(phone?.number == "+485")
        }

        @Test("Tab moves from the birthday field to the button of its calendar")
        func tabOrder() throws {
            let profile = Profile(id: 1, phone: "+380501234567", name: "Ann", username: "ann")
            model.store.update { $0.profile = profile }
            show(.edit(ProfileForm(profile)))
            let order = bench.window.screenHost.ui.focus.order
            let field = try #require(order.firstIndex(of: ProfileEditPage.id(.birthday)))
            #expect(order[field + 1] == "account.birthday.open")
        }

        @Test("A number with a single digit is visible")
        func oneDigit() throws {
            show(.phone(PhoneForm()))
            bench.handle(.text("+1"))
            bench.settle()
            let field = try #require(places[PhonePage.field])
            func ink() throws -> Int {
                let snapshot = try #require(bench.window.snapshot())
                let columns = Int(field.x) + 10..<Int(field.right) - 10
                let lines = Int(field.y) + 10..<Int(field.bottom) - 10
                return columns.count { x in lines.contains { snapshot[x, $0].red < 80 } }
            }
            bench.type("5")
            bench.settle()
            let one = try ink()
            bench.type("5")
            bench.settle()
            #expect(try one > 4 && one < ink())
        }

        @Test("Typing another calling code selects its country")
        func otherCountry() throws {
            show(.phone(PhoneForm()))
            bench.type("+48 512 345 678")
            #expect(phone?.number == "+48512345678")
        }

        @Test("Return selects the country that was found by its name")
        func country() throws {
            show(.phone(PhoneForm()))
            bench.type("512345678")
            bench.click("account.country")
            bench.settle()
            #expect(focused == "account.country.search")
            bench.type("Pola")
            bench.press(.enter)
            bench.settle()
            #expect(phone?.number == "+48512345678")
            #expect(focused == PhonePage.field)
        }

        @Test("A number restored from the code page can be edited")
        func numberAgain() throws {
            show(.phone(PhoneForm(number: "+48512345678", isPossible: true)))
            bench.handle(.key(.edit(.backspace, ctrl: false, shift: false)))
            #expect(phone?.number == "+4851234567")
        }

        @Test("Return requests the code, which hides the button, and Esc cancels the request")
        func waiting() throws {
            show(.phone(PhoneForm(number: "+380501234567", isPossible: true)))
            bench.press(.enter)
            #expect(model.store.state.request == .sendCode(phone: "+380501234567"))
            bench.settle()
            #expect(places["account.send-code"] == nil)
            bench.press(.escape)
            #expect(model.store.state.isIdle)
            bench.settle()
            #expect(places["account.send-code"] != nil)
        }

        @Test("Typed digits fill the code, a pasted code replaces them, and a complete code is submitted")
        func digits() throws {
            show(.code(CodeForm(phone: "+380501234567", purpose: .signIn)))
            #expect(focused == CodePage.field)
            bench.type("12")
            #expect(code?.digits == "12")
            bench.handle(.key(.edit(.backspace, ctrl: false, shift: false)))
            #expect(code?.digits == "1")
            bench.handle(.text("133 337"))
            #expect(code?.digits == "133337")
            #expect(model.store.state.request == .checkCode("133337", phone: "+380501234567"))
        }

        @Test("Choosing a day in the calendar sets the birthday field")
        func calendar() throws {
            var profile = Profile(id: 1, phone: "+380501234567", name: "Ann", username: "ann")
            profile.birthday = CalendarDay("1990-05-01")
            model.store.update { $0.profile = profile }
            show(.edit(ProfileForm(profile)))
            bench.click("account.birthday.open")
            bench.settle()
            bench.click("account.calendar.month.back")
            bench.settle()
            bench.click("account.calendar.day.30")
            bench.settle()
            guard case .edit(let form) = model.store.state.page else {
                Issue.record("the page is \(model.store.state.page)")
                return
            }
            #expect(form.birthday == "1990-04-30")
            #expect(places["account.calendar.day.30"] == nil)
        }

        @Test("Leaving a changed form with Esc asks for confirmation")
        func leaving() throws {
            let profile = Profile(id: 1, phone: "+380501234567", name: "Ann", username: "ann")
            model.store.update { $0.profile = profile }
            show(.edit(ProfileForm(profile)))
            #expect(focused == ProfileEditPage.name)
            bench.type("Anna")
            bench.press(.escape)
            #expect(model.store.state.dialog == .leaveEditing)
            bench.settle()
            bench.click("account.leave.confirm")
            #expect(model.store.state.page == .profile)
        }

        @Test("A file dropped while the profile is edited is read as the picture, and is not played")
        func drop() async throws {
            let bench = try await ScreenBench(
                hasBar: true,
                hasAccount: true,
                player: LivePlayer(NoStreams())
            )
            let shell = try #require(bench.shell)
            let model = try #require(shell.account).model
            let profile = Profile(id: 1, phone: "+380501234567", name: "Ann", username: "ann")
            async let outcome = shell.run()
            shell.show(.account)
            for await screen in shell.screens where screen.destination == .account { break }
            // The app of this test has no server.
            for await state in model.store.states where state.page != .opening { break }
            model.store.update { $0.page = .edit(ProfileForm(profile)) }
            shell.drop(.file("/pictures/me.jpg"))
            // So it tells that the picture was not read.
            for await state in shell.notices.store.states {
                guard case .accountFailed(let failure)? = state.shown.first?.content else { continue }
                #expect(failure.reason == .unreachable)
                break
            }
            #expect(shell.live?.player.playback.state.address == nil)
            shell.quit()
            _ = await outcome
        }

        @Test("A button that is disabled while its request runs keeps the keyboard focus")
        func busy() throws {
            let profile = Profile(id: 1, phone: "+380501234567", name: "Ann", username: "ann")
            model.store.update { $0.profile = profile }
            show(.profile)
            bench.tab(to: "account.refresh")
            bench.press(.space)
            #expect(model.store.state.request == .fetch)
            bench.settle()
            #expect(focused == "account.refresh")
            model.store.update { $0.request = nil }
            bench.settle()
            bench.press(.space)
            #expect(model.store.state.request == .fetch)
            bench.press(.tab(isBackwards: false))
            #expect(focused != "account.refresh" && focused != nil)
        }

        @Test("Every page fits into a phone-sized window with large text", arguments: [1.0, 2])
        func phoneSized(scale: Double) throws {
            bench.settings.send(.setTextScale(scale))
            let profile = Profile(id: 1, phone: "+380501234567", name: "Ann", username: "ann")
            model.store.update { $0.profile = profile }
            let pages: [AccountViewModel.State.Page] = [
                .phone(PhoneForm()), .code(CodeForm(phone: "+380501234567", purpose: .signIn)),
                .registration(RegistrationForm(phone: "+380501234567", token: nil)), .profile,
                .edit(ProfileForm(profile)),
            ]
            for page in pages {
                show(page)
                let width = bench.window.screenHost.ui.pageArea.width
                let controls = places.filter { $0.key.name.hasPrefix("account.") }
                #expect(!controls.isEmpty)
                #expect(controls.allSatisfy { $0.value.x >= 0 && $0.value.right <= width })
            }
        }
    }
}
