internal import CallCore
internal import CallFlow

/// The screen of a call: the remote video in the whole window, the local one in a corner, and the controls.
///
/// Everything over the video fades out while the pointer rests.
@WindowActor final class CallScreen: ScreenView {
    /// The time for which the controls stay visible after the last input, in seconds.
    static let rest = 2.5

    let model: CallViewModel
    /// The handler of commands that the view model does not handle.
    let tell: (WindowCommand) -> Void
    var localTile: Box?
    var statisticsPanel: Box?
    var showsStatistics = false
    var choosesDevices = false
    var corner = TileCorner.bottomRight
    /// The offset from the pointer to the corner of the tile that it drags.
    var grip: Point?
    private var lastActivity: Double?
    private(set) var isAwake = true
    /// The number of the latest notice, and the time until which it is shown.
    var notice: (number: Int, until: Double)?
    var changesAt: Double?
    /// The text of the notice shown last.
    var said: String?
    /// The time until which another Esc ends the call.
    var asksUntil: Double?

    init(model: CallViewModel, tell: @escaping (WindowCommand) -> Void) {
        self.model = model
        self.tell = tell
    }

    var showsPictures: Bool { true }
    var hidesRemote: Bool {
        let state = model.store.state
        return state.call == .connected && state.summary == nil && hidesPicture(state)
    }
    var showsPointer: Bool { isAwake }

    func accepts(_ command: WindowCommand) -> Bool { true }

    func perform(_ command: WindowCommand) -> Bool {
        let state = model.store.state
        let controls = state.controls
        switch command {
        case .toggleMute: model.send(.setMuted(!controls.isMuted))
        case .toggleCamera: model.send(.setCameraOff(!controls.isCameraOff))
        case .hangUp where state.isManaged: model.send(.hangUp)
        case .escape: return escape(state)
        case .hangUp, .toggleFullScreen, .louder, .softer: return false
        }
        return true
    }

    /// Handles Esc: closes the statistics, otherwise declines, otherwise ends the call when pressed twice.
    private func escape(_ state: CallViewModel.State) -> Bool {
        let now = lastActivity ?? 0
        if showsStatistics {
            showsStatistics = false
        } else if isAsked(state) {
            model.send(.decline)
        } else if let asked = asksUntil, now < asked {
            asksUntil = nil
            return perform(.hangUp)
        } else {
            asksUntil = now + Self.questionTime
        }
        return true
    }

    /// Checks whether the user has to answer an incoming call.
    func isAsked(_ state: CallViewModel.State) -> Bool {
        state.isIncoming && state.call == .ringing && state.summary == nil
    }

    func draw(_ ui: Interface) {
        let theme = ui.theme
        ui.theme = .dark
        defer { ui.theme = theme }
        let state = model.store.state
        let now = ui.motion.time
        if ui.event != nil || lastActivity == nil { lastActivity = now }
        let sleepsAt = (lastActivity ?? now) + Self.rest
        let isWatched =
            state.call == .connected && ui.pictures.remote != nil && !ui.pictures.isPaused
            && grip == nil && !choosesDevices && !hidesPicture(state)
        isAwake = !isWatched || now < sleepsAt
        changesAt =
            isWatched && isAwake ? min(sleepsAt, nextSecond(state, now) ?? sleepsAt) : nextSecond(state, now)
        if !isAwake { changesAt = nil }
        noteNotice(state, now)
        ui.showsTooltips = !isNoticeShown(ui)
        let chrome = ui.motion.value("call", "chrome", towards: isAwake ? 1 : 0)

        let middle = drawMiddle(ui, state)
        placeTile(ui, state, beside: middle)
        drawTile(ui, state, chrome)
        ui.painter.opacity = chrome
        drawTop(ui, state)
        ui.painter.opacity = 1
        drawRecording(ui, state)
        drawSigns(ui, state)
        if showsStatistics, state.call == .connected {
            drawStatistics(ui, state)
        }
        drawNotice(ui, state)
        ui.painter.opacity = chrome
        drawBar(ui, state)
        ui.painter.opacity = 1
        guard DeviceSheet(model: model).draw(ui, state.devices, isOpen: choosesDevices) else { return }
        choosesDevices = false
        ui.focus.focus("call.devices", visibly: ui.focus.isVisible)
    }

    // MARK: - Time

    private func nextSecond(_ state: CallViewModel.State, _ now: Double) -> Double? {
        guard state.call == .connected, let since = state.heldSince else { return nil }
        let passed = (ContinuousClock.now - since).components.attoseconds
        return now + 1.002 - Double(passed) / 1e18
    }
}
