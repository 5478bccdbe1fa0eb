internal import CallCore
internal import CallFlow
internal import CallWindow
internal import FoundationEssentials

/// The call's window, spoken to by the flow's screens and speaking to them.
struct WindowController: Sendable {
    private let window: CallWindow
    /// Makes the peer louder or softer; how loud it is then, in percent.
    var changeVolume: @Sendable (_ isLouder: Bool) async -> Int = { _ in 100 }

    var sink: any VideoSink { window.sink }

    /// - Throws: `WindowError` where there is no display or nothing draws.
    static func open(title: String) async throws(WindowError) -> WindowController {
        let environment = ProcessInfo.processInfo.environment
        let surroundings = WindowSurroundings(
            stringsFolder: Installation.stringsFolder(environment),
            language: AppSettings.Language(environment: environment)
        )
        return WindowController(window: try await CallWindow.open(title: title, surroundings: surroundings))
    }

    /// What a person should know of the window, a line each.
    var warnings: [String] { get async { await window.warnings } }

    /// Draws the flow's screens.
    func draw(_ coordinator: AppCoordinator) async {
        await window.follow(coordinator.screens, settings: coordinator.settings)
    }

    /// Looks as the desktop prefers, from now on.
    func follow(_ preference: any AppearancePreference) async {
        for await scheme in await preference.colorSchemes() { await prefer(scheme) }
    }

    @WindowActor private func prefer(_ scheme: ColorScheme) { window.prefersDark = scheme == .dark }

    /// The pictures belong to a call that is over.
    func clear() async {
        for side in MediaSide.allCases { await window.clear(side) }
    }

    /// Hands what the user does to whatever screen is shown then.
    func forward(
        to coordinator: AppCoordinator,
        screen: @Sendable () -> Screen?,
        tell: @Sendable (String) -> Void
    ) async {
        for await action in window.actions {
            switch (action, screen()) {
            case (.hangUp, _): coordinator.leave()
            case (.displayLost, _):
                tell("the display has gone, and with it the window: hanging up")
                coordinator.leave()
            case (.volume(let isLouder), let screen):
                let percent = await changeVolume(isLouder)
                if case .call(let call)? = screen { await call.show(.loudness(percent)) }
            case (.mute(let isMuted), .call(let call)): call.send(.setMuted(isMuted))
            case (.mute(let isMuted), .room(let room)): room.send(.setMuted(isMuted))
            case (.camera(let isOn), .call(let call)): call.send(.setCameraOff(!isOn))
            case (.camera(let isOn), .room(let room)): room.send(.setCameraOff(!isOn))
            case (_, .login), (_, nil): break
            }
        }
    }

    /// Closes the window, and says how long it took to show what the user did.
    func close(_ console: Console, _ events: EventWriter) async {
        await window.close()
        for (screen, delays) in await window.inputDelays.sorted(by: { $0.key < $1.key }) {
            console.say(delays.sentence(screen), .dim, from: .verbose)
            await events.write("window.delays", delays.fields(screen))
        }
    }
}
