internal import AppFlow
internal import Basics
internal import CallWindow
internal import FoundationEssentials
internal import WindowKit

/// The connection between the window and the screens.
struct WindowController: Sendable {
    private let window: CallWindow

    var sink: any VideoSink { window.sink }
    /// The sink for the app's live stream.
    var liveSink: any VideoSink { window.liveSink }
    /// The sink for the video that is played in a conversation.
    var conversationSink: any VideoSink { window.conversationSink }

    /// Opens the window.
    ///
    /// - Throws: `WindowError` if there is no display or no renderer, or if the display refuses the window.
    static func open(title: String, style: WindowStyle = .normal) async throws(WindowError)
        -> WindowController
    {
        let environment = ProcessInfo.processInfo.environment
        let surroundings = WindowSurroundings(
            stringsFolder: Installation.stringsFolder(environment),
            language: AppSettings.Language(environment: environment),
            environment: environment,
            version: Version.line
        )
        return WindowController(
            window: try await CallWindow.open(title: title, style: style, surroundings: surroundings)
        )
    }

    /// Opens the window if it is requested; nil without a window, also if it is optional and cannot be opened.
    ///
    /// `purpose` is the name of the activity in messages, such as `call`.
    ///
    /// - Throws: `WindowError` if the window is required.
    static func open(
        _ presentation: Presentation,
        for purpose: String,
        _ console: Console
    ) async throws(WindowError) -> WindowController? {
        switch presentation {
        case .headless: return nil
        case .window: return try await open(title: "callrunner")
        case .windowIfPossible:
            do throws(WindowError) { return try await open(title: "callrunner") } catch {
                console.say("the \(purpose) goes on without a window: \(error.message)", .dim)
                return nil
            }
        }
    }

    /// The warnings about the window, one line each.
    var warnings: [String] { get async { await window.warnings } }

    /// Draws the screens of the app or, without a `shell`, those of the calls, until they end.
    func draw(_ flow: CallsFlow, _ shell: AppShell?) async {
        guard let shell else {
            return await window.follow(flow.screens.map { Screen.calls($0) }, settings: flow.settings)
        }
        await window.follow(shell.screens, settings: shell.settings.model, shell: shell)
    }

    /// Draws the screen of a stream until the task is cancelled.
    func draw(_ live: LiveViewModel, _ settings: SettingsViewModel? = nil) async {
        let screens = AsyncStream<Screen> { $0.yield(.live(live)) }
        let standard = await SettingsViewModel(AppSettings())
        await window.follow(screens, settings: settings ?? standard)
    }

    /// Shows every control in every state.
    func showGallery() async { await window.showGallery() }

    /// Waits until the user closes the window or the display is lost.
    func closed() async { for await _ in window.closeRequests { return } }

    /// Applies the appearance that the desktop prefers, and follows its changes.
    func follow(_ preference: any AppearancePreference) async {
        async let animated: Void = followAnimations(of: preference)
        for await scheme in await preference.colorSchemes() { await prefer(scheme) }
        await animated
    }

    private func followAnimations(of preference: any AppearancePreference) async {
        for await areWanted in await preference.animations() { await animate(areWanted) }
    }

    @WindowActor private func animate(_ areWanted: Bool) { window.reducesMotion = !areWanted }

    @WindowActor private func prefer(_ scheme: ColorScheme) { window.prefersDark = scheme == .dark }

    /// Removes the last video frames of an ended call from the window.
    func clear() async {
        for side in MediaSide.allCases { await window.clear(side) }
    }

    /// Ends the run as soon as the user closes the window or the display is lost.
    func follow(closeRequestsFor flow: CallsFlow, notify: @Sendable (String) -> Void) async {
        for await request in window.closeRequests {
            if request == .displayLost { notify("the display and its window were closed: hanging up") }
            flow.leave()
        }
    }

    /// Closes the window, and reports the delays between user inputs and the display of their effects.
    func close(_ console: Console, _ events: EventWriter) async {
        await window.close()
        for (screen, delays) in await window.inputDelays.sorted(by: { $0.key < $1.key }) {
            console.say(delays.sentence(screen), .dim, from: .verbose)
            await events.write("window.delays", delays.fields(screen))
        }
    }
}

extension InputDelays {
    /// Describes the input delays on a screen in one sentence.
    func sentence(_ screen: String) -> String {
        "\(screen): \(count) inputs took effect within \(percentile(50)) ms at the median, "
            + "\(percentile(95)) ms for 95 % of them, \(percentile(100)) ms at most"
    }

    /// Creates the fields of the event `window.delays`, in milliseconds.
    func fields(_ screen: String) -> JSONObject {
        [
            "screen": .string(screen), "inputs": .int(count), "p50": .int(percentile(50)),
            "p95": .int(percentile(95)), "max": .int(percentile(100)),
        ]
    }
}
