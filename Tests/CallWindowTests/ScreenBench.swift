import Basics
import CSDL
import CallCore
import Foundation
import LiveCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

/// A window that SDL draws in memory, with a manual clock and a record of the commands that it sends.
@WindowActor final class ScreenBench {
    let window: CallWindow
    let settings: SettingsViewModel
    /// The shell whose bar is shown; nil for windows without a bar.
    let shell: AppShell?
    let router = CommandRouter()
    var now = 100.0
    /// Whether `settle()` simulates a moving pointer, which keeps the controls visible.
    var isAwake = false
    private let sent = Sent()

    private final class Sent: @unchecked Sendable {  // the arrays are used only on the window's thread
        var commands: [CallsCommand] = []
        var kept: [CallsCommand] = []
        let all = AsyncStream.makeStream(of: CallsCommand.self)
    }

    init(
        width: Int = 480,
        height: Int = 640,
        language: AppSettings.Language = .english,
        hasBar: Bool = false,
        hasAccount: Bool = false,
        hasChat: Bool = false,
        player: LivePlayer? = nil
    ) async throws {
        shell =
            hasBar
            ? await AppShell(
                services: Nothing(),
                memory: Nothing(),
                recordings: Nothing(),
                player: player,
                hasAccount: hasAccount,
                hasChat: hasChat
            )
            : nil
        let model = await MainActor.run { SettingsViewModel(AppSettings(), token: nil) }
        settings = shell?.settings.model ?? model
        SDL_SetHintWithPriority(SDL_HINT_VIDEODRIVER, "dummy", SDL_HINT_OVERRIDE)
        SDL_SetHintWithPriority(SDL_HINT_RENDER_DRIVER, "software", SDL_HINT_OVERRIDE)
        window = try CallWindow.open(
            title: "test",
            size: Resolution(width: width, height: height),
            surroundings: WindowSurroundings(
                stringsFolder: Self.strings,
                language: language,
                environment: ["LANG": "uk_UA.UTF-8"],
                version: "callrunner 0.1.0 (commit 0123456789ab, GStreamer 1.22.0)"
            )
        )
        window.clock = { [weak self] in self?.now ?? 0 }  // the window may outlive the bench
        router.connect { [sent] command in
            sent.commands.append(command)
            sent.all.continuation.yield(command)
        }
    }

    nonisolated static let strings = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "assets/strings").path

    /// The commands that the screens have sent to the app.
    var commands: [CallsCommand] { sent.commands }
    /// The commands of the call screen that wait for a disk or a device.
    var kept: [CallsCommand] { sent.kept }

    /// Waits for the next `count` commands of the screens, which may have been sent before.
    func next(_ count: Int) async -> [CallsCommand] {
        var commands: [CallsCommand] = []
        for await command in sent.all.stream {
            commands.append(command)
            if commands.count == count { break }
        }
        return commands
    }

    /// Advances the clock and redraws until all animations have ended.
    func settle() {
        for _ in 0..<3 {
            now += 5
            if isAwake { window.screenHost.handle(.other, scale: 1, now: now) }
            now += 0.5
            window.screenHost.touch()
            window.redrawIfNeeded()
        }
    }

    func show(_ screen: CallsScreen) { show(.calls(screen)) }

    func showSettings() { show(.settings(settings)) }

    func show(_ screen: Screen) {
        window.show(screen, settings: settings, shell: shell)
        settle()
    }

    func handle(_ event: InputEvent) {
        window.screenHost.handle(event, scale: 1, now: now)
        window.redrawIfNeeded()
    }

    func click(_ x: Double, _ y: Double) {
        for event in [.move(Point(x, y)), .press(Point(x, y)), .release(Point(x, y))] as [InputEvent] {
            handle(event)
        }
    }

    func press(_ key: InputKey) { handle(.key(key)) }

    /// Presses Tab until the control has the keyboard focus.
    func tab(to id: ControlID) {
        for _ in 0..<50 where window.screenHost.ui.focus.focused != id { press(.tab(isBackwards: false)) }
        #expect(window.screenHost.ui.focus.focused == id)
        settle()
    }

    /// Whether the keyboard focus can be moved to a control.
    func isStop(_ id: ControlID) -> Bool { window.screenHost.ui.focus.order.contains(id) }

    func type(_ text: String) { for letter in text { handle(.text(String(letter))) } }
}

extension ScreenBench {
    func login() async -> LoginViewModel {
        await MainActor.run { [router] in LoginViewModel(router: router) }
    }

    func room(
        _ name: String = "Ann",
        _ role: Role = .caller,
        _ change: @Sendable (inout RoomState) -> Void = { _ in }
    ) async throws -> RoomViewModel {
        var state = RoomState(
            identity: Identity(username: try Username(name), room: try RoomID("42")),
            role: role
        )
        state.isManaged = true
        state.connection = .disconnected(nil)
        change(&state)
        let made = state
        return await MainActor.run { [router] in RoomViewModel(made, router: router) }
    }

    func call(
        _ peer: String? = "Bob",
        _ call: CallState = .connected,
        _ change: @Sendable (inout CallViewModel.State) -> Void = { _ in }
    ) async -> CallViewModel {
        let model = await MainActor.run { [router, sent] in
            let state = CallViewModel.State(peer: peer, call: call, controls: CallControls())
            return CallViewModel(state, router: router) { command, _ in
                sent.kept.append(command)
                sent.all.continuation.yield(command)
            }
        }
        model.store.update(change)
        return model
    }
}

extension ScreenBench {
    func edit(_ key: EditKey, ctrl: Bool = false, shift: Bool = false) {
        press(.edit(key, ctrl: ctrl, shift: shift))
        settle()
    }

    /// Clicks at `place` or, if that is nil, in the middle of the control.
    func click(_ id: ControlID, at place: Point? = nil) {
        guard let place = place ?? window.screenHost.ui.places[id]?.center else {
            Issue.record("no \(id.name) to click")
            return
        }
        click(place.x, place.y)
    }
}

/// The services and the persistent data of an app that has neither.
private struct Nothing: AppServices, AppMemory, RecordingStore {
    func devices() async -> [MediaDevice] { [] }
    func withServices(
        _ settings: AppSettings,
        token: String?,
        for identity: Identity,
        _ body: @Sendable (any SignalingService, any MediaService) async -> Void
    ) async throws {}

    func list() async -> [Recording] { [] }
    func preview(of recording: Recording) async -> RecordingPreview? { nil }
    func rename(_ recording: Recording, to title: RecordingTitle) async -> Recording { recording }
    func trash(_ recording: Recording) async {}
    func delete(_ recording: Recording) async {}
    func reveal(_ recording: Recording) async {}

    func identity() async -> RememberedIdentity? { nil }
    func pastCalls() async -> [PastCall] { [] }
    func remember(_ call: PastCall) async {}
    func settings() async -> AppSettings { AppSettings() }
    func token() async -> String? { nil }
    func remember(_ identity: RememberedIdentity) async {}
    func remember(_ settings: AppSettings) async {}
    func remember(token: String?) async {}
    func forgetCalls() async {}
    func forgetIdentity() async {}
}
