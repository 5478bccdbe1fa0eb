import AccountsCore
import Basics
import LiveCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests.PhotographTests {
    private static var profile: Profile {
        var profile = Profile(id: 1, phone: "+380501234567", name: "Олена Ґонта", username: "olena_g")
        (profile.city, profile.isOnline) = ("Київ", true)
        profile.birthday = CalendarDay("1990-05-01")
        profile.about = "Люблю гори, велосипед і довгі розмови про те, як усе влаштовано."
        return profile
    }

    func photographAccount(_ bench: ScreenBench, _ photograph: (String) throws -> Void) throws {
        let model = try #require(bench.shell?.account).model
        func show(_ page: AccountViewModel.State.Page, _ name: String) throws {
            model.store.update { state in
                (state.page, state.dialog, state.request, state.failure) = (page, nil, nil, nil)
            }
            bench.show(.account(model))
            try photograph("account-\(name)")
        }
        try show(.phone(PhoneForm()), "phone")
        let failure = AccountFailure(.unreachable, "")
        try show(
            .phone(PhoneForm(number: "+380501234567", isPossible: true, failure: failure)),
            "phone-failed"
        )
        var off = AccountFailure(.noAccounts, "")
        off.cause =
            "the folder /home/ann/.local/share/callrunner/server is used by another server, process 4711"
        try show(.phone(PhoneForm(number: "+380501234567", isPossible: true, failure: off)), "phone-off")
        bench.click("account.country")
        bench.settle()
        try photograph("account-countries")
        bench.type("ук")
        bench.settle()
        try photograph("account-countries-found")
        bench.press(.escape)
        var code = CodeForm(phone: "+380501234567", purpose: .signIn, resendIn: 23)
        code.enter("1333")
        model.store.update { $0.testCode = "133337" }
        try show(.code(code), "code")
        (code.failure, code.resendIn) = (AccountFailure(.notFound, ""), 0)
        code.enter("")
        code.failure = AccountFailure(.notFound, "")
        model.store.update { $0.testCode = nil }
        try show(.code(code), "code-wrong")
        var form = RegistrationForm(phone: "+380501234567", token: nil)
        form.setName("Олена")
        form.setUsername("olena g")
        form.refused[.username] = "the username is taken"
        try show(.registration(form), "registration")
        model.store.update { $0.profile = Self.profile }
        model.store.update { $0.isReached = true }
        try show(.profile, "profile")
        model.store.update { $0.isReached = false }
        model.store.update { state in
            state.isUnsent = true
            state.picture = SolidFrame.green.sized(600, 600).frame.map { UserPicture($0) }
            state.signIns = [
                SignIn(id: "1", device: "callrunner 0.1.0 on laptop", isCurrent: true),
                SignIn(id: "2", device: "callrunner 0.1.0 on a computer with a long name", last: .now),
            ]
        }
        try show(.profile, "profile-unsent")
        model.store.update { $0.dialog = .delete(nil) }
        bench.settle()
        try photograph("account-delete")
        model.store.update { $0.dialog = .delete(CodeForm(phone: "+380501234567", purpose: .deletion)) }
        bench.settle()
        try photograph("account-delete-code")
        model.store.update { $0.dialog = nil }
        var edit = ProfileForm(Self.profile)
        edit.set("31.02.1990", of: .birthday)
        edit.pictureProblem = .tooLarge
        try show(.edit(edit), "edit")
        model.store.update { $0.dialog = .camera }
        bench.settle()
        try photograph("account-camera-opening")
        model.store.update { $0.camera = SolidFrame.green.sized(1280, 720).frame.map { UserPicture($0) } }
        bench.settle()
        try photograph("account-camera")
        model.store.update { ($0.dialog, $0.camera) = (nil, nil) }
        bench.settle()
        bench.click("account.birthday.open")
        bench.settle()
        try photograph("account-calendar")
        bench.press(.escape)
        try show(.unavailable(AccountFailure(.storeUnavailable, "the keyring is locked")), "unavailable")
        model.store.update { $0 = AccountViewModel.State() }
        bench.settle()
    }
}
