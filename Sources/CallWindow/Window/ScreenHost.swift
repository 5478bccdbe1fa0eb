internal import AppFlow
internal import Basics
internal import CSDL
internal import CallCore
internal import WindowKit

/// The host of the current screen, which is redrawn after changes and during animations.
@WindowActor final class ScreenHost {
    private let canvas: Canvas
    private let context: DrawContext
    private let surroundings: WindowSurroundings
    private let liveTexture: VideoTexture
    private let conversation: ConversationVideo
    let ui: Interface
    private var settings = AppSettings()
    private var view: (any ScreenView)?
    /// The shell of the app whose screens are shown; nil in other windows.
    private(set) var shell: AppShell?
    private var bar: DestinationBar?
    /// The video of the app's live stream; nil without one.
    private(set) var pane: LivePane?
    private(set) var shown: Screen?
    /// The number of frames drawn, presented or not.
    private(set) var frames = 0
    /// The number of screens shown so far.
    private var turn = 0
    private var isStale = true
    private var digest: UInt64 = 0
    private var ground = Color.background
    /// The handler of the button that toggles full-screen mode.
    var toggleFullScreen: () -> Void = {}
    var prefersDark: Bool { didSet { isStale = true } }

    init(
        canvas: Canvas,
        surroundings: WindowSurroundings,
        live: VideoTexture,
        conversation: VideoTexture
    ) {
        (self.canvas, liveTexture) = (canvas, live)
        self.conversation = ConversationVideo(texture: conversation)
        self.surroundings = surroundings
        prefersDark = surroundings.prefersDark
        context = DrawContext(canvas, flagsFolder: "\(surroundings.stringsFolder)/..")
        let strings = Strings(surroundings.language, folder: surroundings.stringsFolder)
        ui = Interface(painter: Painter(context: context, sprites: canvas.sprites), strings: strings)
    }

    /// The warnings for the user about missing fonts or texts, one line each.
    var warnings: [String] {
        var warnings = context.hasFonts ? [] : [WindowFonts.warning]
        if ui.strings.isEmpty {
            let file = "\(surroundings.stringsFolder)/\(ui.strings.language).json"
            warnings.append("the window shows no text, because \(file) is missing or invalid")
        }
        return warnings
    }

    // MARK: - Content

    var isEmpty: Bool { view == nil }

    var shownView: (any ScreenView)? { view }

    var screenName: String? { shown?.name }

    /// Whether an animation is in progress.
    var isMoving: Bool { view != nil && ui.motion.isMoving }

    func show(_ screen: Screen, shell: AppShell?) {
        guard screen != shown else { return }
        // Within the bar, the keyboard focus stays on the destination that the user has selected.
        let focused = shown?.destination == screen.destination ? nil : bar?.focused(ui)
        (shown, self.shell) = (screen, shell)
        turn += 1
        (ui.openMenu, ui.menuChoice) = (nil, nil)
        ui.focus.focus(focused, visibly: ui.focus.isVisible)
        if pane == nil, let shell, let live = shell.live {
            pane = LivePane(liveTexture, shell, live) { [weak self] in
                self?.toggleFullScreen()
            }
        }
        switch screen {
        case .home(let model): view = HomeScreen(model: model, shell: shell)
        case .library(let model): view = LibraryScreen(model: model, shell: shell)
        case .calls(.login(let model)):
            view = LoginScreen(model: model)
            if focused == nil { ui.focus.focus("login.username") }
        case .calls(.room(let model)): view = RoomScreen(model: model, shell: shell)
        case .calls(.call(let model)):
            view = CallScreen(model: model) { [weak self] in self?.toggleFullScreen() }
        case .chats(let model): view = ChatsScreen(model: model, shell: shell, video: conversation)
        case .account(let model):
            view = AccountScreen(model: model, shell: shell, environment: surroundings.environment)
        case .settings(let model):
            view = SettingsScreen(model: model, version: surroundings.version, shell: shell)
        case .live(let model): view = LiveScreen(model: model) { [weak self] in self?.toggleFullScreen() }
        }
        view?.show(video)
        bar = nil
        if screen.hasBar, let shell, let selected = screen.destination {
            bar = DestinationBar(shell: shell, selected: selected)
        }
        isStale = true
    }

    /// Shows every control in every state, instead of a screen.
    func showGallery() {
        view = GalleryScreen { [weak self] in self?.set($0) }
        (shown, bar, isStale) = (nil, nil, true)
    }

    /// The title of the window; nil if no screen is shown.
    var title: WindowTitle? {
        if shown?.hasBar ?? false, let ring = shell?.chatCalls?.ring.state {
            return WindowTitle(ringing: ui.strings.name(of: ring.person), ui.strings)
        }
        return view?.title(ui.strings)
    }

    func set(_ settings: AppSettings) {
        guard settings != self.settings || isStale else { return }
        self.settings = settings
        let language = settings.language ?? surroundings.language
        if language.rawValue != ui.strings.language {
            ui.strings = Strings(language, folder: surroundings.stringsFolder)
        }
        isStale = true
    }

    /// Marks the screen as changed, so that it is redrawn.
    func touch() { isStale = true }

    var video = CallVideo() {
        didSet {
            guard video != oldValue else { return }
            view?.show(video)
            isStale = true
        }
    }

    var isFullScreen: Bool {
        get { ui.isFullScreen }
        set {
            ui.isFullScreen = newValue
            isStale = true
        }
    }

    // MARK: - Drawing

    /// The user's text scale; it is multiplied by the scale of the desktop.
    var zoom: Double { settings.textScale }

    /// Whether the pointer is shown as a text cursor.
    var isTextCursor: Bool { ui.isTextCursor }
    var showsPointer: Bool {
        (view?.showsPointer ?? true) && !(pane?.hidesPointer(ui, on: shown) ?? false)
    }
    /// Whether the live stream is shown large, on the home screen, and not in the mini player.
    var showsLargeStream: Bool { shown?.destination == .home && pane?.box != nil }
    /// The rectangle in points of the text field that receives typed text; nil if there is none.
    var typedInto: Box? { ui.typedInto }
    var showsVideo: Bool { view?.showsVideo ?? true }
    var hidesRemote: Bool { view?.hidesRemote ?? false }
    var isCameraOn: Bool { view?.isCameraOn ?? true }

    /// The rectangle of the local video in pixels; nil if it is not shown.
    var localTile: Rect? {
        view?.localTile.map(ui.painter.rect)
    }

    /// The rectangle of the live stream in pixels; nil if it is not shown.
    var liveRect: Rect? { pane?.box.map(ui.painter.rect) }

    /// The rectangle in pixels of the video that is played in a conversation, and its visible part; nil if no part is
    /// visible.
    var conversationPlace: (whole: Rect, part: Rect)? { conversation.place(ui.painter) }

    var tileRadius: Int { Int((Corner.medium * ui.painter.scale).rounded(.down)) }

    var groundColor: Color { ground }

    /// Passes user input to the screen.
    func handle(_ event: InputEvent, scale: Double, now: Double) {
        guard view != nil else { return }
        drawFrame(event, scale: scale, now: now)
        isStale = true
    }

    /// Draws the screen if it has changed; returns true if the result differs from the previous frame.
    func refresh(scale: Double, now: Double) -> Bool {
        guard view != nil, isStale || isDue(now) else { return false }
        // The effect of a control appears in the second frame. Changes that the second frame causes appear in
        // the third.
        if isStale { for _ in 0..<2 { drawFrame(nil, scale: scale, now: now) } }
        drawFrame(nil, scale: scale, now: now)
        isStale = false
        let new = context.digest ^ UInt64(ground.rgb) ^ (showsVideo ? 1 << 60 : 0)
        defer { digest = new }
        return new != digest
    }

    /// Renders the last frame on top of everything drawn so far.
    func render() { context.render(on: canvas) }

    private func drawFrame(_ event: InputEvent?, scale: Double, now: Double) {
        guard let view else { return }
        frames += 1
        let scale = scale * zoom
        if canvas.sprites.isFull { canvas.sprites.forget() }
        ui.theme = isDark ? .dark : .light
        ui.frame(pixels: canvas.size, scale: scale, event: event, now: now) {
            let ink = view.showsVideo ? Color.background : ui.theme.ground
            let share = ui.motion.value("ground", "\(ink.rgb)", towards: 1, from: 0)
            ground = ground.mixed(with: ink, share: share)
            let arrival = ui.motion.value("screen", "\(turn)", towards: 1, from: turn > 1 ? 0.3 : 1)
            ui.painter.presence = arrival
            ui.painter.offset = Point(0, (1 - arrival) * 14)
            let bar = ui.isFullScreen && shown?.destination == .home ? nil : bar
            ui.barHeight = bar?.height(ui) ?? 0
            // The toasts and the mini player also keep the pointer from the controls below them.
            let mini = shown?.destination == .home ? nil : pane?.box
            ui.floating = mini
            let toasts = placedToasts(above: mini)
            ui.occluders = toasts.map(\.box) + (mini.map { [$0] } ?? [])
            conversation.begin()
            view.draw(ui)
            (ui.painter.presence, ui.painter.offset) = (1, Point(0, 0))
            ui.occluders = toasts.map(\.box)
            pane?.draw(ui, on: shown)
            ui.occluders = []
            bar?.draw(ui)
            for id in ui.draw(toasts) { shell?.notices.remove(id) }
            // All other screens with the bar draw the ring together with their own sheets.
            if case .calls(.login)? = shown { shell?.drawChatRing(ui) }
            view.drawSheets(ui)
        }
    }

    /// Returns the notices with their rectangles; during calls and in full-screen mode, the notices wait.
    private func placedToasts(above mini: Box?) -> [(toast: Interface.Toast, box: Box)] {
        guard let shell, shown?.hasBar ?? false, !ui.isFullScreen else { return [] }
        let toasts = shell.notices.store.state.shown.map { $0.toast(ui.strings) }
        return ui.places(of: toasts, above: mini)
    }

    private var isDark: Bool {
        switch settings.theme {
        case .system: prefersDark
        case .light: false
        case .dark: true
        }
    }

    // MARK: - Time

    private var nextFrame: Double? {
        guard view != nil else { return nil }
        let drawn = ui.motion.time
        var times: [Double] = []
        if ui.motion.isMoving { times.append(drawn + 0.016) }
        if let change = ui.caretChangesAt { times.append(change) }
        if let change = view?.changesAt { times.append(change) }
        if let change = pane?.changesAt { times.append(change) }
        if let change = ui.toastsChangeAt { times.append(change) }
        return times.min()
    }

    private func isDue(_ now: Double) -> Bool { nextFrame.map { $0 <= now } ?? false }

    /// Computes the milliseconds until the screen must be redrawn without an event; nil if it need not be.
    func delay(now: Double) -> Int? {
        if isStale, view != nil { return 0 }
        return nextFrame.map { max(1, Int((($0 - now) * 1000).rounded(.up))) }
    }

    // MARK: - Keys

    /// Checks whether a key is a shortcut now; false while a text field or a sheet uses the keyboard.
    func accepts(_ key: WindowKey) -> Bool {
        guard ui.typedInto == nil, !ui.isCovered else { return false }
        return switch key {
        case .fullScreen: true
        case .shortcut(let key): view?.accepts(key) ?? false
        }
    }

    func press(_ key: Shortcut) {
        isStale = true
        view?.press(key)
    }
}
