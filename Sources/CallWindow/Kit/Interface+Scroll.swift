extension Interface {
    /// Draws content that may be higher than its box; the wheel and the keyboard focus scroll it.
    func scroll(_ id: ControlID, _ box: Box, contentHeight: Double, _ body: (Box) -> Void) {
        let furthest = max(0, contentHeight - box.height)
        var offset = min(scrolls[id] ?? 0, furthest)
        if case .wheel(let lines) = event, isReachable, let pointer, box.contains(pointer) {
            offset = min(max(0, offset - lines * 48), furthest)
        }
        scrolls[id] = offset
        let outer = scrolling
        scrolling = (id, box)
        painter.clip(box) {
            body(Box(x: box.x, y: box.y - offset, width: box.width, height: max(contentHeight, box.height)))
        }
        scrolling = outer
        guard furthest > 0 else { return }
        let share = box.height / contentHeight
        let bar = Box(
            x: box.right - 6,
            y: box.y + 4 + (box.height - 8) * offset / contentHeight,
            width: 4,
            height: (box.height - 8) * share
        )
        painter.fill(bar, radius: 2, theme.outline)
    }

    /// Scrolls the focused control into view.
    func scroll(to box: Box) {
        guard let (id, view) = scrolling, let offset = scrolls[id] else { return }
        let above = view.y + Space.small - box.y
        let below = box.bottom + Space.small - view.bottom
        guard above > 0 || below > 0 else { return }
        scrolls[id] = max(0, above > 0 ? offset - above : offset + below)
        motion.keepMoving()
    }
}
