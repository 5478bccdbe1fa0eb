internal import AccountsCore
internal import AppFlow
internal import Basics
internal import PhoneKit
internal import WindowKit

/// The screen of the user's account: sign-in, registration, the profile and its editing.
@WindowActor final class AccountScreen: ScreenView {
    /// The width of the column of each page, in points.
    static let width = 480.0

    let model: AccountViewModel
    private let shell: AppShell?
    private let phone: PhonePage
    private let birthday = BirthdaySheet()
    /// The name of the page whose first field has been focused; empty before the first page.
    private var begun = ""
    /// The current request and the time of its start, to show its progress after `patience`.
    private var waiting: (request: AccountViewModel.Request, since: Double)?

    /// The time in seconds after which a running request is shown as busy.
    private static let patience = 0.15

    init(model: AccountViewModel, shell: AppShell?, environment: [String: String]) {
        (self.model, self.shell) = (model, shell)
        phone = PhonePage(model: model, environment: environment)
    }

    func title(_ strings: Strings) -> WindowTitle { WindowTitle("bar.account", shell, strings) }

    var changesAt: Double? { waiting.map { $0.since + Self.patience } }

    func draw(_ ui: Interface) {
        let state = model.store.state
        noteWaiting(ui, state)
        beginPage(ui, state)
        let page = AccountPage(model: model, state: state, isWaiting: isWaiting(ui))
        switch state.page {
        case .opening: drawOpening(ui)
        case .unavailable(let failure): page.drawUnavailable(ui, failure)
        case .phone(let form): phone.draw(ui, page, form)
        case .code(let form): CodePage(page: page, form: form).draw(ui)
        case .registration(let form): RegistrationPage(page: page, form: form).draw(ui)
        case .profile: ProfilePage(page: page).draw(ui)
        case .edit(let form): ProfileEditPage(page: page, form: form, birthday: birthday).draw(ui)
        }
    }

    func drawSheets(_ ui: Interface) {
        let state = model.store.state
        phone.drawSheet(ui, isPage: state.page.isPhone)
        if case .edit(let form) = state.page { birthday.draw(ui, model, form) } else { birthday.close() }
        AccountSheets(model: model, isWaiting: isWaiting(ui)).draw(ui)
        shell?.drawRing(ui)
        if ui.consumes(.escape) { model.send(.back) }
    }

    private func noteWaiting(_ ui: Interface, _ state: AccountViewModel.State) {
        guard let request = state.request else { return waiting = nil }
        if waiting?.request != request { waiting = (request, ui.motion.time) }
    }

    private func isWaiting(_ ui: Interface) -> Bool {
        waiting.map { ui.motion.time - $0.since >= Self.patience } ?? false
    }

    /// Moves the keyboard focus to the first field of a page that has just appeared.
    private func beginPage(_ ui: Interface, _ state: AccountViewModel.State) {
        let (name, field) = state.page.start
        guard name != begun else { return }
        // If the user came from the destination bar, the focus stays on the bar.
        let isFirst = begun.isEmpty
        if ["phone", "code", "registration"].contains(begun) { ui.forgetScroll(ProfilePage.scroll) }
        begun = name
        if let field, !isFirst || ui.focus.focused == nil { ui.focus.focus(field) }
    }

    private func drawOpening(_ ui: Interface) {
        ui.spinner(ui.pageArea.center, diameter: 44, ui.theme.faint)
    }
}

extension AccountViewModel.State.Page {
    fileprivate var isPhone: Bool { if case .phone = self { true } else { false } }

    /// The name of the page, and the field to focus when it appears.
    @WindowActor fileprivate var start: (String, ControlID?) {
        switch self {
        case .opening: ("opening", nil)
        case .unavailable: ("unavailable", nil)
        case .phone: ("phone", PhonePage.field)
        case .code: ("code", CodePage.field)
        case .registration: ("registration", RegistrationPage.name)
        case .profile: ("profile", nil)
        case .edit(let form):
            (
                "edit",
                ProfileEditPage.fields.first { form.refused[$0] != nil }.map(ProfileEditPage.id)
                    ?? ProfileEditPage.name
            )
        }
    }
}

/// The elements that all pages of the account share.
@WindowActor struct AccountPage {
    let model: AccountViewModel
    let state: AccountViewModel.State
    /// Whether the current request has lasted long enough to be shown as busy.
    let isWaiting: Bool

    /// Computes the diameter of the user's picture, which is smaller in a narrow window.
    static func avatar(_ ui: Interface) -> Double { ui.columnWidth(AccountScreen.width) < 320 ? 56 : 96 }

    /// Draws the button of a page's main action; returns true when the user presses it.
    func drawAction(
        _ ui: Interface,
        _ id: ControlID,
        _ title: String,
        in box: Box,
        isEnabled: Bool
    ) -> Bool {
        ui.button(id, title, in: box, isEnabled: isEnabled && state.isIdle, isBusy: isWaiting)
    }

    /// Draws a round button that returns to the previous page.
    func drawBack(_ ui: Interface, in box: Box) {
        let center = Point(box.x + 18, box.center.y)
        let isPressed = ui.iconButton(
            "account.back",
            .back,
            ui.strings["account.back"],
            center: center,
            diameter: 40
        )
        if isPressed { model.send(.back) }
    }

    /// Computes the rectangle of the banner for the failure, and the height that the page leaves free for it.
    ///
    /// - Returns: nil if there is no failure, or while a dialog shows the failure.
    func strip(_ ui: Interface) -> (box: Box, strip: Double)? {
        guard state.dialog == nil else { return nil }  // the dialog shows it
        return state.failure.map {
            ui.bannerPlace(width: AccountScreen.width, ui.strings.sentence(of: $0), hasAction: true)
        }
    }

    func drawStrip(_ ui: Interface, _ place: (box: Box, strip: Double)?) {
        guard let failure = state.failure, let place else { return }
        let isPressed = ui.banner(
            "account.failure",
            ui.strings.sentence(of: failure),
            .error,
            in: place.box,
            action: ui.strings["common.close"]
        )
        if isPressed { model.send(.cancel) }
    }

    /// Draws the reason why the user's sign-in could not be determined, and a button that tries again.
    func drawUnavailable(_ ui: Interface, _ failure: AccountFailure) {
        let text = ui.strings.sentence(of: failure)
        let width = min(AccountScreen.width, 420)
        let lines = ui.painter.height(of: text, .body, width: ui.columnWidth(width))
        ui.page("account.unavailable", width: width, height: lines + Space.huge + 48) { content in
            var rest = content
            ui.painter.paragraph(
                text,
                in: rest.takeTop(lines, gap: Space.huge),
                .body,
                ui.theme.text,
                .center
            )
            let title = ui.strings["account.retry"]
            if drawAction(ui, "account.retry", title, in: rest.takeTop(48), isEnabled: true) {
                model.send(.refresh)
            }
        }
    }
}
