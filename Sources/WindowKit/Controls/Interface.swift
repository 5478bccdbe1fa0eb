/// An immediate-mode user interface, with which the screens are drawn and receive input.
///
/// A frame handles at most one event. A single call draws a control and returns the user's interaction with
/// it; a resulting change appears in the next frame.
@WindowActor package final class Interface {
    package let painter: Painter
    package var theme = Theme.light
    package var strings: Strings
    package var isFullScreen = false
    package var focus = FocusRing()
    package var motion = Motion()
    /// The area of the window, in points.
    package private(set) var area = Box(width: 0, height: 0)
    /// The height of the bar at the bottom of the window; 0 if there is none.
    package var barHeight = 0.0
    package private(set) var event: InputEvent?
    package private(set) var pointer: Point?
    /// The areas of elements that are drawn later and cover the controls.
    package var occluders: [Box] = []
    /// The rectangle of the small video in a corner, which notices and the end of a page must not overlap; nil if there
    /// is none.
    package var floating: Box?
    /// The heights of the strips at the top and the bottom of the page that the small video must not cover.
    package var strips = (top: 0.0, bottom: 0.0)
    /// The height of the strip at the bottom of the page in the last frame, which notices must not cover.
    private(set) var lastStrip = 0.0
    /// The layer of the controls being drawn: 0 for the screen, a higher number for a sheet or a menu.
    var layer = 0
    /// Whether tooltips may appear; false while a tooltip would cover a notice.
    package var showsTooltips = true
    package var isTextCursor = false
    /// The rectangle of the text field that receives typed text; nil if there is none.
    package var typedInto: Box?
    package var activeField: ControlID?
    /// The editor of the active text field; nil without one.
    var editor: FieldEditor?
    /// The time at which the caret appears or disappears next; nil without an active field.
    package var caretChangesAt: Double?
    /// The presses in quick succession at the same position.
    private(set) var clicks = Clicks()
    package var openMenu: ControlID?
    /// Whether the open menu was drawn in this frame.
    var isMenuDrawn = false
    package var menuChoice: (menu: ControlID, index: Int)?
    /// The closures that draw tooltips and open menus, called at the end of the frame.
    var overlays: [() -> Void] = []
    var scrolls: [ControlID: Double] = [:]
    var scrolling: (id: ControlID, box: Box)?
    /// The focused control from which the user has scrolled away; nil if there is none.
    var scrolledFrom: ControlID?
    var lists: [ControlID: ListPosition] = [:]
    var toastTimes = ToastTimes()
    /// The list whose scroll bar is being dragged, and the position at which the bar is held, 0…1 of its length; nil if
    /// none is dragged.
    var listGrip: (list: ControlID, grip: Double)?
    /// The rectangles of the controls in the last frame that the user can operate.
    private(set) var places: [ControlID: Box] = [:]
    /// The sheet that has opened by itself and handles keys.
    ///
    /// `lastKey` is the time of the last key if the sheet has taken the keyboard from a text field.
    private var keyboardOwner: (sheet: ControlID, lastKey: Double?, isDrawn: Bool)?
    private var pressed: ControlID?
    private var isPointerDown = false
    private var topLayer = 0
    private var comingTopLayer = 0
    private var isPressTaken = false

    package init(painter: Painter, strings: Strings) {
        self.painter = painter
        self.strings = strings
    }

    /// Draws one frame; `now` is in seconds.
    package func frame(
        pixels: (width: Int, height: Int),
        scale: Double,
        event: InputEvent?,
        now: Double,
        _ body: () -> Void
    ) {
        painter.begin(scale: scale, pixels: pixels)
        area = Box(width: Double(pixels.width) / scale, height: Double(pixels.height) / scale)
        self.event = event
        motion.beginFrame(at: now)
        handle(event)
        showsTooltips = true
        (lastStrip, strips) = (strips.bottom, (0, 0))
        (isTextCursor, typedInto, layer, comingTopLayer, overlays) = (false, nil, 0, 0, [])
        caretChangesAt = nil
        focus.beginFrame()
        keyboardOwner?.isDrawn = false
        (places, isMenuDrawn) = ([:], false)
        body()
        while !overlays.isEmpty {
            let drawn = overlays
            overlays = []
            for overlay in drawn { overlay() }
        }
        if case .press = event, !isPressTaken { focus.focus(nil) }
        if case .release = event { pressed = nil }
        if !isMenuDrawn { openMenu = nil }  // the control of the menu is no longer drawn
        if typedInto == nil { (activeField, editor) = (nil, nil) }  // the text field is no longer drawn
        focus.endFrame()
        if keyboardOwner?.isDrawn == false { keyboardOwner = nil }
        topLayer = comingTopLayer
    }

    /// The area of the window without the bar.
    package var pageArea: Box { Box(width: area.width, height: max(0, area.height - barHeight)) }

    // MARK: - Events

    private func handle(_ event: InputEvent?) {
        isPressTaken = false
        switch event {
        case .move(let place): pointer = place
        case .leave: pointer = nil
        case .press(let place):
            (pointer, isPointerDown) = (place, true)
            clicks.press(at: place, motion.time)
        case .release(let place): (pointer, isPointerDown) = (place, false)
        case .key(.tab(let isBackwards)): focus.move(backwards: isBackwards)
        case .key, .text, .marked, .wheel, .other, nil: break
        }
    }

    /// Consumes a press of the key and returns true; false if there is none, or if a sheet or a menu is open
    /// above.
    package func consumes(_ key: InputKey) -> Bool {
        guard event == .key(key), layer >= topLayer else { return false }
        event = nil
        return true
    }

    /// Returns whether a sheet that opens by itself may handle keys.
    ///
    /// If the sheet interrupts the typing in a text field, this is the case only after a pause, because the user
    /// continues to type.
    package func mayUseKeys(_ sheet: ControlID) -> Bool {
        let isNew = keyboardOwner?.sheet != sheet
        let lastKey = isNew ? (typedInto == nil ? nil : motion.time) : keyboardOwner?.lastKey
        let isAllowed = lastKey.map { motion.time - $0 >= Self.typingPause } ?? true
        let isKey =
            switch event {
            case .key, .text, .marked: true
            case .move, .leave, .press, .release, .wheel, .other, nil: false
            }
        keyboardOwner = (sheet, lastKey.map { isKey ? motion.time : $0 }, true)
        return isAllowed
    }

    /// The time in seconds without a key after which the user is assumed to have noticed that a text field lost the
    /// keyboard.
    private static let typingPause = 1.5

    // MARK: - Layers

    /// Draws a layer above the screen.
    ///
    /// While it is drawn, only its controls can be operated; if `isInert` is true, only the controls below it can.
    package func inLayer(_ layer: Int, isInert: Bool = false, _ body: () -> Void) {
        let below = self.layer
        self.layer = isInert ? -1 : layer
        if !isInert { comingTopLayer = max(comingTopLayer, layer) }
        body()
        self.layer = below
    }

    /// Whether a sheet or a menu covers the screen.
    package var isCovered: Bool { topLayer > 0 }

    /// Whether the controls being drawn can be operated.
    var isReachable: Bool { layer >= topLayer }

    // MARK: - Controls

    /// The user's interaction with a control.
    package struct Control {
        package var isHovered = false
        var isPressed = false
        /// Whether the control has the keyboard focus and its focus ring is drawn.
        package var isFocused = false
        package var wasClicked = false
    }

    /// Registers a control and reports the user's interaction with it.
    package func control(_ id: ControlID, _ box: Box, isEnabled: Bool = true) -> Control {
        guard isReachable else { return Control() }
        guard isEnabled else {
            focus.register(id, isStop: false)
            return Control()
        }
        focus.register(id)
        places[id] = box
        let isUnder = pointer.map { isPointer(in: box) && painter.isUnclipped($0) } ?? false
        var control = Control(isFocused: focus.shows(id))
        if case .press = event, isUnder {
            pressed = id
            isPressTaken = true
            focus.focus(id)
        }
        if case .release = event, pressed == id, isUnder { control.wasClicked = true }
        if focus.focused == id, activeField == nil {
            if consumes(.enter) || consumes(.space) { control.wasClicked = true }
        }
        control.isPressed = pressed == id && isUnder
        control.isHovered = isUnder && (pressed == nil || pressed == id)
        if control.isFocused {
            if scrolledFrom != id { (scrolledFrom, _) = (nil, scroll(to: box)) }
        }
        return control
    }

    /// Checks whether the pointer is in the box, and nothing covers the box there.
    func isPointer(in box: Box) -> Bool {
        guard let pointer, box.contains(pointer) else { return false }
        return !occluders.contains { $0.contains(pointer) }
    }

    /// Checks whether the control was pressed and the pointer button is still down, wherever the pointer is
    /// now.
    package func isHeld(_ id: ControlID) -> Bool { pressed == id && isPointerDown }

    /// The distance in points by which a focus ring exceeds its control.
    static let focusRingMargin = 4.0

    /// Draws the focus ring around a control that has the keyboard focus.
    package func focusRing(_ control: Control, _ id: ControlID, around box: Box, radius: Double) {
        let strength = motion.value(id, "focus", towards: control.isFocused ? 1 : 0)
        guard strength > 0 else { return }
        let before = painter.opacity
        painter.opacity *= strength
        painter.stroke(
            box.inset(by: -Self.focusRingMargin),
            radius: radius + Self.focusRingMargin,
            width: 2,
            theme.link
        )
        painter.opacity = before
    }
}
