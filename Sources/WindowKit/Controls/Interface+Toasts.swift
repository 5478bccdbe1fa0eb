extension Interface {
    /// A message that is shown for a few seconds.
    package struct Toast: Hashable, Sendable {
        let id: Int
        let text: String
        let tone: Tone

        /// Creates a message; a new one has an `id` that no message had before.
        package init(id: Int, text: String, tone: Tone) { (self.id, self.text, self.tone) = (id, text, tone) }
    }

    /// The times for which toasts are still shown.
    struct ToastTimes {
        /// The remaining seconds by the toasts' IDs.
        var remaining: [Int: Double] = [:]
        /// The time of the last frame, and whether the remaining times stood still from then on.
        var now = 0.0
        var isStopped = false
        /// The time at which the first of them is over; nil for never.
        var end: Double?
    }

    /// The seconds for which a toast is shown.
    static let toastDuration = 5.0
    private static let toastWidth = 420.0
    private static let toastLines = 3

    /// The time at which a toast is over, in seconds of `Motion.time`; nil for never.
    package var toastsChangeAt: Double? { toastTimes.end }

    /// Draws toasts at the bottom of the page, the newest lowest, and above `obstacle` where it would be covered.
    ///
    /// While the pointer is on one of them, their time stands still.
    ///
    /// - Returns: The IDs of the toasts that the user has closed, or whose time has passed.
    package func toasts(_ toasts: [Toast], above obstacle: Box?) -> [Int] {
        let boxes = places(of: toasts, above: obstacle)
        let isRead = boxes.contains { isPointer(in: $0) }
        let over = passTime(toasts.map(\.id), isStopped: isRead)
        var closed: [Int] = []
        for (toast, box) in zip(toasts, boxes) where draw(toast, in: box) { closed.append(toast.id) }
        return over + closed.filter { !over.contains($0) }
    }

    /// Counts the time since the last frame.
    ///
    /// - Returns: The IDs whose time has passed.
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

    private func places(of toasts: [Toast], above obstacle: Box?) -> [Box] {
        let page = pageArea
        let width = max(0, min(Self.toastWidth, page.width - 2 * Space.medium))
        let x = ((page.width - width) / 2).rounded()
        var bottom = page.height - Space.medium
        if let obstacle, obstacle.x < x + width, obstacle.right > x, obstacle.bottom > bottom - 60 {
            bottom = min(bottom, obstacle.y - Space.small)
        }
        return toasts.reversed().map { toast in
            let lines = painter.height(
                of: toast.text,
                .caption,
                width: Self.textWidth(width),
                limit: Self.toastLines
            )
            let height = max(44, lines + 2 * Space.medium)
            defer { bottom -= height + Space.small }
            return Box(x: x, y: bottom - height, width: width, height: height)
        }
        .reversed()
    }

    /// Computes the width of the text between the icon and the button.
    private static func textWidth(_ width: Double) -> Double {
        max(0, width - 2 * Space.medium - 20 - 32 - 2 * Space.small)
    }

    /// Draws a toast; returns true when the user closes it.
    private func draw(_ toast: Toast, in box: Box) -> Bool {
        let id = ControlID("toast.\(toast.id)")
        let arrival = motion.value(id, "arrival", towards: 1, from: 0)
        let before = (painter.opacity, painter.offset)
        painter.opacity *= arrival
        painter.offset = Point(0, (1 - arrival) * 8)
        defer { (painter.opacity, painter.offset) = before }
        painter.shadow(of: box, radius: Corner.medium, height: 10, theme.shadow)
        painter.fill(box, radius: Corner.medium, theme.raised)
        painter.stroke(box, radius: Corner.medium, theme.outline)
        var inside = box.inset(x: Space.medium, y: 0)
        let glyph: Glyph = toast.tone == .good ? .check : .notice
        painter.glyph(
            glyph,
            center: inside.takeLeft(20, gap: Space.small).center,
            size: 18,
            ink(of: toast.tone)
        )
        let end = inside.takeRight(32, gap: Space.small)
        let height = painter.height(of: toast.text, .caption, width: inside.width, limit: Self.toastLines)
        let lines = Box(x: inside.x, y: inside.center.y - height / 2, width: inside.width, height: height)
        painter.paragraph(toast.text, in: lines, .caption, theme.text, limit: Self.toastLines)
        return iconButton(id, .cross, strings["common.close"], center: end.center, diameter: 32)
    }
}
