/// The animated values of an interface, which move to their targets along an easing curve.
package struct Motion: Sendable {
    /// The default duration of an animation, in seconds.
    package static let duration = 0.2

    private struct Change {
        var start: Double
        var target: Double
        var began: Double
        var duration: Double
        var frame: Int
    }

    private struct Key: Hashable {
        let id: ControlID
        let aspect: String
    }

    /// Whether each value changes to its target without an animation.
    package var isReduced = false
    private var changes: [Key: Change] = [:]
    private var now = 0.0
    private var frame = 0
    /// Whether an animation is in progress, so that another frame is needed.
    package private(set) var isMoving = false

    /// Begins a frame and removes the values that the previous frame did not use.
    mutating func beginFrame(at now: Double) {
        changes = changes.filter { $0.value.frame == frame }
        self.now = now
        frame += 1
        isMoving = false
    }

    /// Computes the current value of an animation; a new one begins at `initial`, or else at its target.
    package mutating func value(
        _ id: ControlID,
        _ aspect: String,
        towards target: Double,
        from initial: Double? = nil,
        lasting duration: Double = Motion.duration
    ) -> Double {
        guard !isReduced else {
            changes[Key(id: id, aspect: aspect)] = nil
            return target
        }
        let key = Key(id: id, aspect: aspect)
        var change =
            changes[key]
            ?? Change(
                start: initial ?? target,
                target: initial ?? target,
                began: now,
                duration: duration,
                frame: frame
            )
        if change.target != target {
            change.start = position(of: change)
            change.target = target
            change.began = now
            change.duration = duration
        }
        change.frame = frame
        changes[key] = change
        if now < change.began + change.duration, change.start != change.target { isMoving = true }
        return position(of: change)
    }

    /// Returns the time in seconds since an aspect of a control was first requested, independently of `isReduced`.
    ///
    /// A frame without a request resets the time.
    package mutating func age(_ id: ControlID, _ aspect: String) -> Double {
        let key = Key(id: id, aspect: aspect)
        var change = changes[key] ?? Change(start: 0, target: 0, began: now, duration: 0, frame: frame)
        change.frame = frame
        changes[key] = change
        return now - change.began
    }

    /// Requests further frames for an animation without a target, such as a spinner.
    package mutating func keepMoving() { isMoving = true }

    /// The time of the current frame in seconds since an arbitrary start.
    package var time: Double { now }

    private func position(of change: Change) -> Double {
        guard change.duration > 0, change.start != change.target else { return change.target }
        let share = min(max((now - change.began) / change.duration, 0), 1)
        let eased = 1 - (1 - share) * (1 - share) * (1 - share)
        return change.start + (change.target - change.start) * eased
    }
}
