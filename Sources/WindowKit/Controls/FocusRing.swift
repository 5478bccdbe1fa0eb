/// The keyboard focus, and the order in which Tab moves it.
package struct FocusRing: Hashable, Sendable {
    package private(set) var focused: ControlID?
    /// Whether the focus ring is drawn, as after a use of the Tab key.
    package private(set) var isVisible = false
    /// The controls of the last complete frame, in the order in which Tab visits them.
    var order: [ControlID] { places.filter(\.isStop).map(\.id) }
    /// The controls of the last complete frame, including those that currently cannot take the focus.
    private var places: [Place] = []
    private var coming: [Place] = []
    /// The number of frames in which the focused control may still be missing, for example while an overlay
    /// closes.
    private var grace = 0

    private struct Place: Hashable, Sendable {
        let id: ControlID
        let isStop: Bool
    }

    mutating func beginFrame() { coming = [] }

    /// Registers a control that can take the focus; if `isStop` is false, it only keeps the focus that it already has.
    ///
    /// The latter is the case for a button that is disabled while its action runs.
    mutating func register(_ id: ControlID, isStop: Bool = true) {
        coming.append(Place(id: id, isStop: isStop))
    }

    /// Ends the frame; a control that has disappeared loses the focus.
    mutating func endFrame() {
        places = coming
        if let focused, grace == 0, !places.contains(where: { $0.id == focused }) { self.focused = nil }
        grace = max(0, grace - 1)
    }

    /// Moves the focus to the next control, or to the previous one if `backwards`.
    mutating func move(backwards: Bool) {
        isVisible = true
        guard let index = places.firstIndex(where: { $0.id == focused }) else {
            return focused = backwards ? order.last : order.first
        }
        let (before, after) = (places[..<index], places[(index + 1)...])
        let others = backwards ? before.reversed() + after.reversed() : Array(after + before)
        if let next = others.first(where: \.isStop) { focused = next.id }
    }

    /// Moves the focus to a control, or removes it if `id` is nil; `visibly` draws the focus ring.
    package mutating func focus(_ id: ControlID?, visibly: Bool = false) {
        focused = id
        isVisible = visibly
        grace = 2
    }

    func shows(_ id: ControlID) -> Bool { isVisible && focused == id }
}
