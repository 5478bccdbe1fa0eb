internal import AppFlow
internal import Basics
internal import WindowKit

/// The screen on which the user enters a name and a room.
@WindowActor final class LoginScreen: ScreenView {
    private let model: LoginViewModel

    init(model: LoginViewModel) { self.model = model }

    func title(_ strings: Strings) -> WindowTitle { WindowTitle(parts: [strings["bar.calls"]]) }

    func draw(_ ui: Interface) {
        let state = model.store.state
        let heights = fieldHeights(ui, state)
        let fields = heights.name + heights.room + Space.tiny + Space.medium
        let panel = Space.huge + fields + 48 + Space.huge
        let head = ui.formHeadHeight
        let notice = state.deletionFailure.map(ui.strings.sentence(of:))
        let place = notice.map { ui.bannerPlace(width: 400, $0, hasAction: false) }
        ui.page("login.page", width: 400, height: head + panel, strip: place?.strip ?? 0) { content in
            var rest = content
            ui.formHead(.camera, "login.title", note: "login.subtitle", in: rest.takeTop(head))
            drawForm(ui, state, rest.takeTop(panel))
        }
        if let notice, let place { ui.banner("login.notice", notice, .warning, in: place.box) }
    }

    private func usernameProblem(_ ui: Interface, _ state: LoginViewModel.State) -> String? {
        state.usernameProblem.map { _ in ui.strings["login.username.problem"] }
    }

    private func roomProblem(_ ui: Interface, _ state: LoginViewModel.State) -> String? {
        state.roomProblem.map { _ in ui.strings["login.room.problem"] }
    }

    private func fieldHeights(_ ui: Interface, _ state: LoginViewModel.State) -> (name: Double, room: Double)
    {
        let width = ui.columnWidth(400) - 2 * Space.huge
        return (
            ui.formFieldHeight(usernameProblem(ui, state), width: width),
            ui.formFieldHeight(roomProblem(ui, state), width: width)
        )
    }

    private func drawForm(_ ui: Interface, _ state: LoginViewModel.State, _ box: Box) {
        ui.card(box)
        var rest = box.inset(x: Space.huge, y: Space.huge)
        let heights = fieldHeights(ui, state)
        let name = ui.textField(
            "login.username",
            ui.strings["login.username"],
            state.username,
            in: rest.takeTop(heights.name, gap: Space.tiny),
            hint: ui.strings["login.username.hint"],
            error: usernameProblem(ui, state)
        )
        if let name { model.send(.setUsername(name)) }
        let room = ui.textField(
            "login.room",
            ui.strings["login.room"],
            state.room,
            in: rest.takeTop(heights.room, gap: Space.medium),
            hint: ui.strings["login.room.hint"],
            kind: .digits,
            limit: LoginViewModel.longestRoom,
            error: roomProblem(ui, state)
        )
        if let room { model.send(.setRoom(room)) }
        let isSubmitted = ui.submits("login.username", "login.room")
        let isPressed = ui.button(
            "login.continue",
            ui.strings["login.continue"],
            in: rest.takeTop(48),
            isEnabled: state.canProceed
        )
        guard state.canProceed else {
            // Return moves the focus to the field that must still be filled in.
            if isSubmitted { ui.focus.focus(state.isNamed ? "login.room" : "login.username") }
            return
        }
        if isPressed || isSubmitted { model.send(.proceed) }
    }
}
