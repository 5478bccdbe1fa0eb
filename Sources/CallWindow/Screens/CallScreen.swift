internal import AppFlow
internal import Basics
internal import CallCore
internal import WindowKit

/// The screen of a call: the remote video in the whole window, the local video in a corner, and the controls.
///
/// The controls fade out when the user has made no input for a while.
@WindowActor final class CallScreen: ScreenView {
    /// The time for which the controls stay visible after the last input, in seconds.
    static let rest = 2.5
    /// The time within which a second Esc confirms the first one, in seconds.
    static let questionTime = 4.0

    private let model: CallViewModel
    private let toggleFullScreen: () -> Void
    let tile = LocalTile()
    let notices = CallNotices()
    let statistics = StatisticsPanel()
    var choosesDevices = false
    private var video = CallVideo()
    private var lastActivity: Double?
    private(set) var isAwake = true
    private(set) var changesAt: Double?

    init(model: CallViewModel, toggleFullScreen: @escaping () -> Void) {
        self.model = model
        self.toggleFullScreen = toggleFullScreen
    }

    var showsVideo: Bool { true }

    func show(_ video: CallVideo) { self.video = video }

    var hidesRemote: Bool {
        let state = model.store.state
        return state.isConnected && state.hidesVideo
    }
    var showsPointer: Bool { isAwake }
    var isCameraOn: Bool { !model.store.state.controls.isCameraOff }
    var localTile: Box? { tile.place }

    func title(_ strings: Strings) -> WindowTitle {
        let state = model.store.state
        if let summary = state.summary { return WindowTitle(parts: [strings.sentence(of: summary)]) }
        if state.isAsked { return WindowTitle(ringing: state.peer, strings) }
        return WindowTitle(parts: [
            state.peer.map { strings.name(ofPeer: $0) } ?? "", strings.sentence(of: state.call),
        ])
    }

    func accepts(_ key: Shortcut) -> Bool { model.command(of: key) != nil }

    /// Handles a key; Esc first closes the statistics, declines an incoming call without confirmation, and
    /// ends any other call only if it is pressed twice.
    func press(_ key: Shortcut) {
        if key == .escape {
            if statistics.isOpen { return statistics.isOpen = false }
            guard model.store.state.isAsked || notices.confirmEnd(at: lastActivity ?? 0) else { return }
        }
        order(key)
    }

    /// Sends the command of a key.
    private func order(_ key: Shortcut) {
        if let command = model.command(of: key) { model.send(command) }
    }

    func draw(_ ui: Interface) {
        let theme = ui.theme
        ui.theme = .dark
        defer { ui.theme = theme }
        let state = model.store.state
        updateTimes(ui, state)
        ui.showsTooltips = !notices.isShown(ui)
        let chrome = ui.motion.value("call", "chrome", towards: isAwake ? 1 : 0)

        let header = CallHeader(state: state)
        let signs = PeerSigns(media: state.isConnected ? state.peerMedia : nil)
        let card = PeerCard(state: state, video: video).draw(ui, below: signs) { [model] in
            model.send($0 ? .accept : .decline)
        }
        tile.update(
            ui,
            size: video.local,
            isCameraOff: state.hasOwnVideo && !isCameraOn,
            below: signs.row(ui),
            beside: card,
            avoidsControls: isAwake
        )
        tile.draw(ui, state, captionOpacity: chrome)
        ui.painter.opacity = chrome
        header.draw(ui)
        ui.painter.opacity = 1
        header.drawRecording(ui)
        signs.draw(ui)
        if state.call == .connected { statistics.draw(ui, state, below: signs.row(ui)) }
        notices.draw(ui, state)
        ui.painter.opacity = chrome
        let bar = CallBar(
            controls: state.controls,
            isChoosingDevices: choosesDevices,
            isShowingStatistics: statistics.isOpen
        )
        bar.draw(ui) { perform($0, ui) }
        ui.painter.opacity = 1
        guard DeviceSheet(model: model).draw(ui, state.devices, isOpen: choosesDevices) else { return }
        choosesDevices = false
        ui.focus.focus("call.devices", visibly: ui.focus.isVisible)
    }

    private func perform(_ button: CallBar.Button, _ ui: Interface) {
        switch button {
        case .mute: order(.m)
        case .camera: order(.v)
        case .record: model.send(model.store.state.recordingCommand)
        case .snapshot: model.send(.takeSnapshot(path: nil))
        case .devices:
            model.send(.listDevices)
            choosesDevices = true
            ui.focus.focus(nil, visibly: ui.focus.isVisible)
        case .statistics: statistics.isOpen.toggle()
        case .fullScreen: toggleFullScreen()
        case .end: order(.q)
        }
    }

    // MARK: - Time

    /// Computes whether the controls are shown, and when the screen changes without an event.
    private func updateTimes(_ ui: Interface, _ state: CallViewModel.State) {
        let now = ui.motion.time
        if ui.event != nil || lastActivity == nil { lastActivity = now }
        let sleepsAt = (lastActivity ?? now) + Self.rest
        let isWatched =
            state.call == .connected && video.remote != nil && !video.isPaused
            && !tile.isDragged && !choosesDevices && !state.hidesVideo
        isAwake = !isWatched || now < sleepsAt
        var times = [notices.update(state.notice, now)]
        if isAwake { times += [nextSecond(state, now), isWatched ? sleepsAt : nil] }
        changesAt = times.compactMap(\.self).min()
    }

    private func nextSecond(_ state: CallViewModel.State, _ now: Double) -> Double? {
        guard state.call == .connected, let since = state.heldSince else { return nil }
        let passed = (ContinuousClock.now - since).components.attoseconds
        return now + 1.002 - Double(passed) / 1e18
    }
}

extension CallViewModel.State {
    /// Whether the call is connected and has not ended.
    var isConnected: Bool { call == .connected && summary == nil }

    /// Whether the peer's last frame is obsolete, because its camera is off or it has put the call on hold.
    var hidesVideo: Bool { peerMedia.map { !$0.sendsVideo || $0.isHolding } ?? false }
}

extension Color {
    /// The background color of controls and texts over the video.
    static let glass = Color(0x0B0E14, alpha: 200)
}
