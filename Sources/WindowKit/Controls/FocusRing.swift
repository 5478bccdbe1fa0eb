/// The keyboard focus, and the order in which Tab moves it.
package struct FocusRing: Hashable, Sendable {
    package private(set) var focused: ControlID?
    /// Whether the focus ring is drawn, as after a use of the Tab key.
    package private(set) var isVisible = false
    /// The controls of the last complete frame, in the order in which Tab visits them.
    private(set) var order: [ControlID] = []
    private var coming: [ControlID] = []
    /// The number of frames in which the focused control may still be missing, for example while an overlay
    /// closes.
    private var grace = 0

    mutating func beginFrame() { coming = [] }

    /// Registers a control that can take the focus.
    mutating func register(_ id: ControlID) { coming.append(id) }

    /// Ends the frame; a control that has disappeared loses the focus.
    mutating func endFrame() {
        order = coming
        if let focused, grace == 0, !order.contains(focused) { self.focused = nil }
        grace = max(0, grace - 1)
    }

    /// Moves the focus to the next control, or to the previous one if `backwards`.
    mutating func move(backwards: Bool) {
        isVisible = true
        guard !order.isEmpty else { return }
        guard let index = focused.flatMap(order.firstIndex) else {
            return focused = backwards ? order.last : order.first
        }
        focused = order[(index + (backwards ? order.count - 1 : 1)) % order.count]
    }

    /// Moves the focus to a control, or removes it if `id` is nil; `visibly` draws the focus ring.
    package mutating func focus(_ id: ControlID?, visibly: Bool = false) {
        focused = id
        isVisible = visibly
        grace = 2
    }

    func shows(_ id: ControlID) -> Bool { isVisible && focused == id }
}
