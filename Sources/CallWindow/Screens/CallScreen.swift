internal import CallCore
internal import CallFlow

/// A call: the peer's picture over all of the window, ours in a corner, and what one does in a call.
///
/// What lies over the pictures fades while the pointer rests.
@WindowActor final class CallScreen: ScreenView {
    /// How long the controls stay after the pointer has come to rest, in seconds.
    static let rest = 2.5

    let model: CallViewModel
    /// Whether the end of a call leads back to the room; else it ends the program.
    let isManaged: Bool
    /// Tells the window what is not the view model's.
    let tell: (WindowCommand) -> Void
    private(set) var localTile: Box?
    var showsStatistics = false
    var corner = TileCorner.bottomRight
    /// From the pointer to the corner of the tile that it holds.
    var grip: Point?
    private var lastActivity: Double?
    private var isAwake = true
    private(set) var changesAt: Double?

    init(model: CallViewModel, isManaged: Bool, tell: @escaping (WindowCommand) -> Void) {
        self.model = model
        self.isManaged = isManaged
        self.tell = tell
    }

    var showsPictures: Bool { true }
    var showsPointer: Bool { isAwake }

    func accepts(_ command: WindowCommand) -> Bool { true }

    func perform(_ command: WindowCommand) -> Bool {
        let controls = model.store.state.controls
        switch command {
        case .toggleMute: model.send(.setMuted(!controls.isMuted))
        case .toggleCamera: model.send(.setCameraOff(!controls.isCameraOff))
        case .hangUp where isManaged: model.send(.hangUp)
        case .hangUp, .toggleFullScreen, .louder, .softer: return false
        }
        return true
    }

    func draw(_ ui: Interface) {
        let theme = ui.theme
        ui.theme = .dark
        defer { ui.theme = theme }
        let state = model.store.state
        let now = ui.motion.time
        if ui.event != nil || lastActivity == nil { lastActivity = now }
        let sleepsAt = (lastActivity ?? now) + Self.rest
        let isWatched = state.call == .connected && ui.pictures.remote != nil && grip == nil
        isAwake = !isWatched || now < sleepsAt
        changesAt =
            isWatched && isAwake ? min(sleepsAt, nextSecond(state, now) ?? sleepsAt) : nextSecond(state, now)
        if !isAwake { changesAt = nil }
        let chrome = ui.motion.value("call", "chrome", towards: isAwake ? 1 : 0)

        drawMiddle(ui, state)
        placeTile(ui, chrome)
        drawTile(ui, state)
        ui.painter.opacity = chrome
        drawTop(ui, state)
        if showsStatistics {
            ui.painter.opacity = 1
            drawStatistics(ui, state)
        }
        ui.painter.opacity = chrome
        drawBar(ui, state)
        ui.painter.opacity = 1
    }

    // MARK: - The middle

    /// Who it is, and where it stands, while there is no picture to look at.
    private func drawMiddle(_ ui: Interface, _ state: CallViewModel.State) {
        let isConnected = state.call == .connected && state.summary == nil
        let hasPicture = ui.pictures.remote != nil
        guard !(isConnected && hasPicture) else { return }
        if hasPicture { ui.painter.fill(ui.area, Color(0x05070B, alpha: 170)) }
        let name = state.peer ?? ui.strings["common.peer"]
        let side = min(112, ui.area.height * 0.24)
        let height = side + Space.large + 36 + Space.small + 44
        var rest = Box(
            center: Point(ui.area.center.x, ui.area.center.y - 24),
            width: min(480, ui.area.width - 2 * Space.huge),
            height: height
        )
        let place = rest.takeTop(side, gap: Space.large).center
        ui.avatar(state.peer ?? "", center: place, diameter: side)
        if !isConnected, state.summary == nil {
            ui.spinner(place, diameter: side + 20, ui.theme.link)
        }
        ui.painter.text(name, in: rest.takeTop(36, gap: Space.small), .display, ui.theme.text, .center)
        let sentence = state.summary.map(ui.strings.sentence(of:)) ?? ui.strings.sentence(of: state.call)
        ui.painter.paragraph(sentence, in: rest, .body, ui.theme.faint, .center, limit: 2)
    }

    // MARK: - The top

    private func drawTop(_ ui: Interface, _ state: CallViewModel.State) {
        guard state.call == .connected, state.summary == nil else { return }
        let name = state.peer ?? ui.strings["common.peer"]
        let time = clock(state)
        let room = ui.area.width - 2 * Space.large
        let clockWidth = ui.painter.width(of: time, .captionStrong)
        let width = min(ui.painter.width(of: name, .strong) + clockWidth + 12 + 3 * Space.large, room)
        let pill = Box(center: Point(ui.area.center.x, Space.large + 18), width: width, height: 36)
        ui.painter.fill(pill, radius: 18, Self.glass)
        var inside = pill.inset(x: Space.large, y: 0)
        ui.painter.text(
            time,
            in: inside.takeRight(clockWidth, gap: Space.medium),
            .captionStrong,
            ui.theme.faint
        )
        ui.painter.text(name, in: inside, .strong, ui.theme.text)
    }

    static let glass = Color(0x0B0E14, alpha: 200)

    private func clock(_ state: CallViewModel.State) -> String {
        let seconds = state.heldSince.map { Int((ContinuousClock.now - $0).components.seconds) } ?? 0
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return hours > 0
            ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(two(minutes)):\(two(seconds % 60))"
    }

    private func nextSecond(_ state: CallViewModel.State, _ now: Double) -> Double? {
        guard state.call == .connected, let since = state.heldSince else { return nil }
        let passed = (ContinuousClock.now - since).components.attoseconds
        return now + 1.002 - Double(passed) / 1e18
    }
}

// MARK: - Our own picture

extension CallScreen {
    private func placeTile(_ ui: Interface, _ chrome: Double) {
        guard let size = ui.pictures.local else { return localTile = nil }
        let area = ui.area
        let room = (
            width: min(max(area.width * 0.25, 150), 360), height: min(max(area.height * 0.25, 110), 270)
        )
        let share = min(room.width / Double(size.width), room.height / Double(size.height))
        let (width, height) = (Double(size.width) * share, Double(size.height) * share)
        let free = area.inset(by: min(Space.large, area.width * 0.03))
        var place = corner.place(width, height, in: free)
        if isAwake {
            let bar = bar(in: ui)
            let top = Box(x: area.width / 2 - 150, y: 0, width: 300, height: Space.large + 36)
            if place.intersects(bar) { place.y = bar.y - height - Space.medium }
            if place.intersects(top) { place.y = top.bottom + Space.medium }
        }
        let control = ui.control("call.tile", localTile ?? place)
        if let pointer = ui.pointer, ui.isHeld("call.tile") {
            let tile = localTile ?? place
            let grip = grip ?? Point(tile.x - pointer.x, tile.y - pointer.y)
            self.grip = grip
            place.x = min(max(0, pointer.x + grip.x), area.width - width)
            place.y = min(max(0, pointer.y + grip.y), area.height - height)
            corner = TileCorner(nearest: place.center, in: area)
        } else if grip != nil {
            grip = nil
            ui.motion.keepMoving()
        } else if control.wasClicked, control.isFocused {
            corner = corner.next
            ui.motion.keepMoving()
        }
        let duration = grip == nil ? Motion.duration : 0
        place.x = ui.motion.value("call.tile", "x", towards: place.x, lasting: duration)
        place.y = ui.motion.value("call.tile", "y", towards: place.y, lasting: duration)
        localTile = place
        ui.focusRing(control, "call.tile", around: place, radius: Corner.medium)
    }

    private func drawTile(_ ui: Interface, _ state: CallViewModel.State) {
        guard let tile = localTile else { return }
        if state.controls.isCameraOff {
            ui.painter.fill(tile, radius: Corner.medium, ui.theme.field)
            let center = Point(tile.center.x, tile.center.y - 8)
            ui.painter.glyph(.closedCamera, center: center, size: min(32, tile.height * 0.36), ui.theme.faint)
        }
        ui.painter.stroke(tile, radius: Corner.medium, width: 1.5, Color(0xFFFFFF, alpha: 90))
        let caption = ui.strings["call.you"]
        let sign = state.controls.isMuted ? 18.0 : 0
        let width = min(
            ui.painter.width(of: caption, .caption) + 2 * Space.small + sign,
            tile.width - 2 * Space.tiny - 4
        )
        let label = Box(x: tile.x + 6, y: tile.bottom - 28, width: width, height: 22)
        ui.painter.fill(label, radius: Corner.small, Self.glass)
        var inside = label.inset(x: Space.small, y: 0)
        if sign > 0 {
            let place = inside.takeLeft(14, gap: Space.tiny).center
            ui.painter.glyph(.mutedMicrophone, center: place, size: 15, ui.theme.dangerInk)
        }
        ui.painter.text(caption, in: inside, .caption, ui.theme.text)
    }
}

extension TileCorner {
    /// The next one, clockwise.
    var next: TileCorner {
        switch self {
        case .topLeft: .topRight
        case .topRight: .bottomRight
        case .bottomRight: .bottomLeft
        case .bottomLeft: .topLeft
        }
    }
}
