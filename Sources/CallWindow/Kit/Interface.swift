internal import CImGui

/// What the screens draw with and hear the user through, one frame at a time.
///
/// A frame knows of one event at most. Each control is named, drawn, and asked in the same call whether the user
/// acted on it; whoever changes what is shown has another frame drawn.
@WindowActor final class Interface {
    let painter: Painter
    var theme = Theme.light
    var strings: Strings
    var pictures = CallVideo()
    var isFullScreen = false
    var focus = FocusRing()
    var motion = Motion()
    /// The whole window.
    private(set) var area = Box(width: 0, height: 0)
    private(set) var event: InputEvent?
    private(set) var pointer: Point?
    /// Above which layer controls act; a sheet is a layer.
    var layer = 0
    /// Whether names may appear over controls, which would cover what is said there for a moment.
    var showsTooltips = true
    var isTextCursor = false
    /// Where letters are being entered.
    var typedInto: Box?
    var activeField: ControlID?
    /// What the field holds as far as ImGui knows.
    var enteredText = ""
    var openMenu: ControlID?
    /// Whether the open menu still stands somewhere.
    var isMenuDrawn = false
    var menuChoice: (menu: ControlID, index: Int)?
    /// What is drawn above everything else, after it.
    var overlays: [() -> Void] = []
    var scrolls: [ControlID: Double] = [:]
    var scrolling: (id: ControlID, box: Box)?
    /// Where the controls of the last frame are that can be acted on.
    private(set) var places: [ControlID: Box] = [:]
    private var pressed: ControlID?
    private var isPointerDown = false
    private var topLayer = 0
    private var comingTopLayer = 0
    private var isPressTaken = false

    init(painter: Painter, strings: Strings) {
        self.painter = painter
        self.strings = strings
    }

    /// Draws one frame; `now` in seconds.
    func frame(
        pixels: (width: Int, height: Int),
        scale: Double,
        event: InputEvent?,
        now: Double,
        _ body: () -> Void
    ) {
        let elapsed = now - motion.time
        painter.begin(scale: scale)
        area = Box(width: Double(pixels.width) / scale, height: Double(pixels.height) / scale)
        self.event = event
        motion.beginFrame(at: now)
        handle(event)
        showsTooltips = true
        (isTextCursor, typedInto, layer, comingTopLayer, overlays) = (false, nil, 0, 0, [])
        cig_frame_begin(
            painter.imgui,
            Float(pixels.width),
            Float(pixels.height),
            Float(min(max(elapsed, 0), 1))
        )
        focus.beginFrame()
        (places, isMenuDrawn) = ([:], false)
        body()
        while !overlays.isEmpty {
            let drawn = overlays
            overlays = []
            for overlay in drawn { overlay() }
        }
        if case .press = event, !isPressTaken { focus.focus(nil) }
        if case .release = event { pressed = nil }
        if !isMenuDrawn { openMenu = nil }  // its row has gone with it
        if typedInto == nil { activeField = nil }  // its screen has gone with it
        focus.endFrame()
        cig_frame_end(painter.imgui)
        release(event)
        topLayer = comingTopLayer
        isTextCursor = isTextCursor || cig_wants_text_cursor(painter.imgui)
    }

    // MARK: - Events

    private func handle(_ event: InputEvent?) {
        isPressTaken = false
        switch event {
        case .move(let place): pointer = place
        case .leave: pointer = nil
        case .press(let place): (pointer, isPointerDown) = (place, true)
        case .release(let place): (pointer, isPointerDown) = (place, false)
        case .text(let text): if activeField != nil { cig_letters(painter.imgui, text) }
        case .key(.tab(let isBackwards)): focus.move(backwards: isBackwards)
        case .key(.edit(let key, let ctrl, let shift)): cig_key(painter.imgui, key, true, ctrl, shift)
        case .key, .wheel, .other, nil: break
        }
        let far: Float = -1e6
        let place = pointer.map { painter.pixels($0) }
        cig_mouse(
            painter.imgui,
            place.map { Float($0.x) } ?? far,
            place.map { Float($0.y) } ?? far,
            isPointerDown
        )
    }

    /// A key is let go in the frame after, so that the next one counts as another.
    private func release(_ event: InputEvent?) {
        guard case .key(.edit(let key, _, _)) = event else { return }
        cig_key(painter.imgui, key, false, false, false)
    }

    /// Whether the key was pressed and no text field or sheet above has use for it.
    func takes(_ key: InputKey) -> Bool {
        guard event == .key(key), layer >= topLayer else { return false }
        event = nil
        return true
    }

    // MARK: - Layers

    /// Draws what lies above the screen and keeps the pointer from what lies below.
    func inLayer(_ layer: Int, isInert: Bool = false, _ body: () -> Void) {
        let below = self.layer
        self.layer = isInert ? -1 : layer
        if !isInert { comingTopLayer = max(comingTopLayer, layer) }
        body()
        self.layer = below
    }

    /// Whether a sheet or a list lies over the screen.
    var isCovered: Bool { topLayer > 0 }

    /// Whether what is drawn now may be acted on.
    var isReachable: Bool { layer >= topLayer }

    // MARK: - Controls

    /// What the user does with a control.
    struct Control {
        var isHovered = false
        var isPressed = false
        /// Whether it has the keyboard and shows it.
        var isFocused = false
        var wasClicked = false
    }

    /// Names a control and tells what the user does with it.
    func control(_ id: ControlID, _ box: Box, isEnabled: Bool = true) -> Control {
        guard isEnabled, isReachable else { return Control() }
        focus.register(id)
        places[id] = box
        let isUnder = pointer.map { box.contains($0) && painter.isUnclipped($0) } ?? false
        var control = Control(isFocused: focus.shows(id))
        if case .press = event, isUnder {
            pressed = id
            isPressTaken = true
            focus.focus(id)
        }
        if case .release = event, pressed == id, isUnder { control.wasClicked = true }
        if focus.focused == id, activeField == nil {
            if takes(.enter) || takes(.space) { control.wasClicked = true }
        }
        control.isPressed = pressed == id && isUnder
        control.isHovered = isUnder && (pressed == nil || pressed == id)
        if control.isFocused { scroll(to: box) }
        return control
    }

    /// Whether the pointer holds the control, wherever it is now.
    func isHeld(_ id: ControlID) -> Bool { pressed == id && isPointerDown }

    /// The line around what has the keyboard.
    func focusRing(_ control: Control, _ id: ControlID, around box: Box, radius: Double) {
        let strength = motion.value(id, "focus", towards: control.isFocused ? 1 : 0)
        guard strength > 0 else { return }
        let before = painter.opacity
        painter.opacity *= strength
        painter.stroke(box.inset(by: -4), radius: radius + 4, width: 2, theme.link)
        painter.opacity = before
    }
}
