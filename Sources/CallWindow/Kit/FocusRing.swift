/// Which control has the keyboard, and the order in which Tab goes through them.
struct FocusRing: Hashable, Sendable {
    private(set) var focused: ControlID?
    /// Whether the focus is drawn: only after the keyboard has moved it.
    private(set) var isVisible = false
    /// The controls of the last whole frame, in their order.
    private(set) var order: [ControlID] = []
    private var coming: [ControlID] = []
    /// For how many frames the control may yet be out of reach: until what lay over it has gone.
    private var grace = 0

    mutating func beginFrame() { coming = [] }

    /// Names a control that can take the keyboard.
    mutating func register(_ id: ControlID) { coming.append(id) }

    /// Ends the frame; a control that has gone loses the keyboard.
    mutating func endFrame() {
        order = coming
        if let focused, grace == 0, !order.contains(focused) { self.focused = nil }
        grace = max(0, grace - 1)
    }

    /// Goes on to the next control, or back.
    mutating func move(backwards: Bool) {
        isVisible = true
        guard !order.isEmpty else { return }
        guard let index = focused.flatMap(order.firstIndex) else {
            return focused = backwards ? order.last : order.first
        }
        focused = order[(index + (backwards ? order.count - 1 : 1)) % order.count]
    }

    /// Gives a control the keyboard, or nobody; what the pointer does is not drawn.
    mutating func focus(_ id: ControlID?, visibly: Bool = false) {
        focused = id
        isVisible = visibly
        grace = 2
    }

    func shows(_ id: ControlID) -> Bool { isVisible && focused == id }
}
