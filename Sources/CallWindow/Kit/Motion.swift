/// Values on their way from one to another, by an eased curve.
struct Motion: Sendable {
    /// How long a change takes, in seconds.
    static let duration = 0.2

    private struct Course {
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

    private var courses: [Key: Course] = [:]
    private var now = 0.0
    private var frame = 0
    /// Whether another frame would differ from this one.
    private(set) var isMoving = false

    /// Begins a frame; what the one before did not ask for is forgotten.
    mutating func beginFrame(at now: Double) {
        courses = courses.filter { $0.value.frame == frame }
        self.now = now
        frame += 1
        isMoving = false
    }

    /// Where the value is now; one asked for anew stands at `initial`, or at its target.
    mutating func value(
        _ id: ControlID,
        _ aspect: String,
        towards target: Double,
        from initial: Double? = nil,
        lasting duration: Double = Motion.duration
    ) -> Double {
        let key = Key(id: id, aspect: aspect)
        var course =
            courses[key]
            ?? Course(
                start: initial ?? target,
                target: initial ?? target,
                began: now,
                duration: duration,
                frame: frame
            )
        if course.target != target {
            course.start = position(of: course)
            course.target = target
            course.began = now
            course.duration = duration
        }
        course.frame = frame
        courses[key] = course
        if now < course.began + course.duration, course.start != course.target { isMoving = true }
        return position(of: course)
    }

    /// Says that something moves by itself, such as a spinner.
    mutating func keepMoving() { isMoving = true }

    /// For what moves by itself: seconds of a clock that begins anywhere.
    var time: Double { now }

    private func position(of course: Course) -> Double {
        guard course.duration > 0, course.start != course.target else { return course.target }
        let share = min(max((now - course.began) / course.duration, 0), 1)
        let eased = 1 - (1 - share) * (1 - share) * (1 - share)
        return course.start + (course.target - course.start) * eased
    }
}
