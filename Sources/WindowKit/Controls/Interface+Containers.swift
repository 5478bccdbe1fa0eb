extension Interface {
    /// The height in points that a page leaves free at the bottom, if possible, for a banner with a button.
    private static let bannerRoom = 136.0

    /// The minimum fraction of a page's height that remains for its content beside the small video and a banner.
    private static let leastShare = 0.4

    private var pageMargin: Double { pageArea.width < 480 ? Space.medium : Space.huge }

    /// Computes the width of a page's column, which is `width` if the window is wide enough.
    package func columnWidth(_ width: Double) -> Double { min(width, pageArea.width - 2 * pageMargin) }

    /// Computes the rectangle of a banner at the bottom of the window, and the height `strip` that the page
    /// must leave free for it.
    package func bannerPlace(width: Double, _ text: String, hasAction: Bool) -> (box: Box, strip: Double) {
        let column = columnWidth(width)
        let height = bannerHeight(text, width: column, hasAction: hasAction)
        let box = Box(
            x: ((pageArea.width - column) / 2).rounded(),
            y: pageArea.height - pageMargin - height,
            width: column,
            height: height
        )
        // The small video moves out of the way: a banner above it would leave the page too little height.
        if isFloating(beside: box) { strips.bottom = max(strips.bottom, pageArea.height - box.y) }
        return (box, pageArea.height - box.y + Space.small)
    }

    /// Draws a column in the middle of the window; it can be scrolled if the window is not high enough for it.
    ///
    /// The lowest `strip` points of the page, at most half of its height, stay free, but do not change the position of
    /// the column. If the small video would cover the column, a strip for the small video stays free as well.
    package func page(
        _ id: ControlID,
        width: Double,
        height: Double,
        strip: Double = 0,
        _ body: (Box) -> Void
    ) {
        // In a low, wide window, the column begins near the top.
        let hasLittle = pageArea.height < 620 && pageArea.width > width + 160
        let top = hasLittle ? Space.medium : 56.0
        let column = columnWidth(width)
        // A column slightly above the middle looks centered. If possible, there is space for a banner below
        // it.
        let spare = max(0, pageArea.height - height - top - Space.huge)
        var above = max(top, min(top + spare * 0.42, pageArea.height - height - Self.bannerRoom).rounded())
        let x = ((pageArea.width - column) / 2).rounded()
        let room = pageArea.height
        var whole = Box(x: 0, y: 0, width: pageArea.width, height: max(room / 2, room - strip))
        let kept = keptStrips(of: Box(x: x, y: 0, width: column, height: room))
        if kept.top > 0 || kept.bottom > 0 {
            let bottom = max(room * Self.leastShare, min(whole.height, room - kept.bottom))
            whole = Box(x: 0, y: kept.top, width: whole.width, height: bottom - kept.top)
            above = max(Space.medium, min(above, whole.height - height))
        }
        let covered = coveredHeight(of: Box(x: x, y: 0, width: column, height: whole.height))
        let end = max(strip > 0 ? 0 : Space.huge, covered)
        let content = max(above + height + end, whole.height)
        // The wheel scrolls the page also over the banner.
        let wheel = Box(x: 0, y: 0, width: pageArea.width, height: pageArea.height)
        scroll(id, whole, contentHeight: content, wheel: wheel) { box in
            body(
                Box(x: x, y: box.y + above, width: column, height: height)
            )
        }
    }

    /// Computes the heights of the strips at the top and the bottom of a page that a column leaves free for the small
    /// video.
    ///
    /// At most one of them is not 0. Both are 0 if the video does not overlap the column, or is far from both edges.
    private func keptStrips(of column: Box) -> (top: Double, bottom: Double) {
        guard let floating, isFloating(beside: column) else { return (0, 0) }
        let (top, bottom) = (floating.bottom + Space.small, column.height - floating.y + Space.small)
        if floating.center.y > column.center.y {
            return (0, bottom <= column.height * (1 - Self.leastShare) ? bottom : 0)
        }
        return (top <= column.height / 2 ? top : 0, 0)
    }

    /// Computes the height from the top of the small video to the end of a column; 0 unless the video overlaps the
    /// column in the lower half of the page.
    private func coveredHeight(of column: Box) -> Double {
        guard let floating, isFloating(beside: column), floating.center.y > column.center.y else { return 0 }
        return max(0, column.bottom - floating.y + Space.small)
    }

    /// Whether the small video overlaps a box horizontally, including a small margin.
    private func isFloating(beside box: Box) -> Bool {
        floating.map { $0.x < box.right + Space.small && $0.right > box.x - Space.small } ?? false
    }

    /// Draws content that may be higher than its box; the mouse wheel and the keyboard focus scroll it.
    ///
    /// The wheel scrolls it while the pointer is in `wheel`, by default the box.
    package func scroll(
        _ id: ControlID,
        _ box: Box,
        contentHeight: Double,
        wheel: Box? = nil,
        _ body: (Box) -> Void
    ) {
        let furthest = max(0, contentHeight - box.height)
        var offset = min(scrolls[id] ?? 0, furthest)
        if case .wheel(let lines) = event, isReachable, isPointer(in: wheel ?? box) {
            offset = min(max(0, offset - lines * 48), furthest)
            scrolledFrom = focus.focused
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

    /// Resets the position of a page or other scrolled content, because the content is replaced.
    package func forgetScroll(_ id: ControlID) { scrolls[id] = nil }

    /// Scrolls until `box`, such as the focused control, is visible.
    package func scroll(to box: Box) {
        guard let (id, view) = scrolling, let offset = scrolls[id] else { return }
        let above = view.y + Space.small - box.y
        let below = box.bottom + Space.small - view.bottom
        guard above > 0 || below > 0 else { return }
        scrolls[id] = max(0, above > 0 ? offset - above : offset + below)
        motion.keepMoving()
    }

    /// Computes the width of the content of a sheet.
    package func sheetWidth(_ width: Double = 440) -> Double {
        min(width, area.width - 2 * Space.medium) - 2 * Space.huge
    }

    /// Draws a modal sheet; returns true when the user closes it.
    package func sheet(
        _ id: ControlID,
        _ title: String,
        isOpen: Bool,
        width: Double = 440,
        contentHeight: Double,
        _ body: (Box) -> Void
    ) -> Bool {
        let share = motion.value(id, "open", towards: isOpen ? 1 : 0, from: 0)
        guard share > 0 || isOpen else { return false }
        let head = 64.0
        let full = head + contentHeight + Space.huge
        let room = area.inset(x: Space.medium, y: Space.medium)
        let panel = Box(
            center: area.center,
            width: min(width, room.width),
            height: min(full, room.height)
        )
        .moved(y: (1 - share) * 16)
        var isClosed = false
        inLayer(1, isInert: !isOpen) {
            painter.opacity = share
            painter.fill(area, theme.scrim)
            painter.shadow(of: panel, radius: Corner.large, height: 24, theme.shadow)
            painter.fill(panel, radius: Corner.large, theme.surface)
            painter.stroke(panel, radius: Corner.large, theme.outline.mixed(with: theme.surface, share: 0.35))
            var rest = panel
            var top = rest.takeTop(head).inset(x: Space.huge, y: 0)
            let close = top.takeRight(36, gap: Space.small).center
            if painter.width(of: title, .title) <= top.width {
                painter.text(title, in: top, .title, theme.text)
            } else {
                let height = painter.height(of: title, .strong, width: top.width, limit: 2)
                let lines = Box(x: top.x, y: top.center.y - height / 2, width: top.width, height: height)
                painter.paragraph(title, in: lines, .strong, theme.text, limit: 2)
            }
            let inside = Box(
                x: rest.x,
                y: rest.y,
                width: rest.width,
                height: max(0, rest.height - Space.medium)
            )
            scroll(id, inside, contentHeight: contentHeight + Space.medium) { content in
                body(content.inset(x: Space.huge, y: 0))
            }
            let name = strings["common.close"]
            isClosed = iconButton(id.child(0), .cross, name, center: close, diameter: 36)
            if isOpen, openMenu == nil, consumes(.escape) || isReachable && isPressOutside(panel) {
                isClosed = true
            }
            painter.opacity = 1
        }
        return isClosed
    }
}
