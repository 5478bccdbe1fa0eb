extension Interface {
    /// A message that is shown for a few seconds.
    package struct Toast: Hashable, Sendable {
        let id: Int
        let text: String
        let tone: Tone

        /// Creates a message; `id` must be different from the ID of any other message.
        package init(id: Int, text: String, tone: Tone) { (self.id, self.text, self.tone) = (id, text, tone) }

        fileprivate var control: ControlID { ControlID("toast.\(id)") }
    }

    /// The remaining display times of the toasts.
    struct ToastTimes {
        /// The remaining seconds, by the ID of the toast.
        var remaining: [Int: Double] = [:]
        /// The time of the last frame; if `isStopped`, the remaining times are paused since then.
        var now = 0.0
        var isStopped = false
        /// The time at which the next toast expires; nil for never.
        var end: Double?
    }

    /// The time in seconds for which a toast is shown.
    static let toastDuration = 5.0
    private static let toastWidth = 420.0
    private static let toastLines = 5

    /// The time at which the next toast expires, in seconds of `Motion.time`; nil for never.
    package var toastsChangeAt: Double? { toastTimes.end }

    /// Computes the rectangles of toasts at the bottom of the page, with the newest one lowest.
    ///
    /// If they would overlap `obstacle`, they are above it, unless fewer toasts fit there.
    ///
    /// - Returns: The toasts that fit on the page, the newest first, with their rectangles.
    package func places(of toasts: [Toast], above obstacle: Box?) -> [(toast: Toast, box: Box)] {
        let plain = stack(toasts, from: pageArea.height - lastStrip - Space.medium)
        guard let obstacle, plain.contains(where: { $0.box.intersects(obstacle) }) else { return plain }
        let higher = stack(toasts, from: obstacle.y - Space.small)
        return higher.count < plain.count ? plain : higher
    }

    private func stack(_ toasts: [Toast], from lowest: Double) -> [(toast: Toast, box: Box)] {
        let page = pageArea
        let width = max(0, min(Self.toastWidth, page.width - 2 * Space.small))
        let x = ((page.width - width) / 2).rounded()
        var bottom = lowest
        var placed: [(toast: Toast, box: Box)] = []
        for toast in toasts.reversed() {
            let height = toastHeight(toast, width: width)
            guard bottom - height >= 0 else { break }
            placed.append((toast, Box(x: x, y: bottom - height, width: width, height: height)))
            bottom -= height + Space.small
        }
        return placed
    }

    /// Draws toasts in their rectangles; those without one wait until others expire.
    ///
    /// While the pointer or the keyboard focus is on one of them, their remaining times are paused.
    ///
    /// - Returns: The IDs of the toasts that the user has closed or that have expired.
    package func draw(_ placed: [(toast: Toast, box: Box)]) -> [Int] {
        let isRead = placed.contains { toast, box in
            pointer.map(box.contains) ?? false || focus.isVisible && focus.focused == toast.control
        }
        let over = passTime(placed.map(\.toast.id), isStopped: isRead)
        let closed = placed.filter { draw($0.toast, in: $0.box) }.map(\.toast.id)
        return over + closed.filter { !over.contains($0) }
    }

    /// Subtracts the time since the last frame from the remaining times.
    ///
    /// - Returns: The IDs of the toasts that have expired.
    private func passTime(_ ids: [Int], isStopped: Bool) -> [Int] {
        let passed = toastTimes.isStopped ? 0 : max(0, motion.time - toastTimes.now)
        let before = toastTimes.remaining
        let remaining = ids.map { ($0, before[$0].map { $0 - passed } ?? Self.toastDuration) }
        toastTimes.remaining = Dictionary(uniqueKeysWithValues: remaining)
        (toastTimes.now, toastTimes.isStopped) = (motion.time, isStopped)
        let next = remaining.map(\.1).filter { $0 > 0 }.min()
        toastTimes.end = isStopped ? nil : next.map { motion.time + $0 }
        return remaining.filter { $0.1 <= 0 }.map(\.0)
    }

    /// Computes the height of a toast.
    package func toastHeight(_ toast: Toast, width: Double) -> Double {
        let lines = painter.height(
            of: toast.text,
            .caption,
            width: Self.textBox(Box(width: width, height: 0)).width,
            limit: Self.toastLines
        )
        return max(44, lines + 2 * Space.small)
    }

    /// Computes the text area of a toast, between its icon, which a narrow toast omits, and its close button.
    private static func textBox(_ box: Box) -> Box {
        var inside = box.inset(x: Space.small, y: 0)
        if box.width >= 240 { _ = inside.takeLeft(20, gap: Space.small) }
        _ = inside.takeRight(32, gap: Space.tiny)
        return inside
    }

    /// Draws a toast; returns true when the user closes it.
    package func draw(_ toast: Toast, in box: Box) -> Bool {
        let arrival = motion.value(toast.control, "arrival", towards: 1, from: 0)
        let before = (painter.opacity, painter.offset)
        painter.opacity *= arrival
        painter.offset = Point(0, (1 - arrival) * 8)
        defer { (painter.opacity, painter.offset) = before }
        painter.shadow(of: box, radius: Corner.medium, height: 10, theme.shadow)
        painter.fill(box, radius: Corner.medium, theme.raised)
        painter.stroke(box, radius: Corner.medium, theme.outline)
        let text = Self.textBox(box)
        if text.x > box.x + Space.small {
            let glyph: Glyph = toast.tone == .good ? .check : .notice
            let center = Point(box.x + Space.small + 10, box.center.y)
            painter.glyph(glyph, center: center, size: 18, ink(of: toast.tone))
        }
        let height = painter.height(of: toast.text, .caption, width: text.width, limit: Self.toastLines)
        let lines = Box(x: text.x, y: box.center.y - height / 2, width: text.width, height: height)
        painter.paragraph(toast.text, in: lines, .caption, theme.text, limit: Self.toastLines)
        let center = Point(box.right - Space.small - 16, box.center.y)
        return iconButton(toast.control, .cross, strings["common.close"], center: center, diameter: 32)
    }
}
