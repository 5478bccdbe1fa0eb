extension Interface {
    /// The width in points of the area at the right edge in which the scroll bar of a list can be dragged.
    private static let barWidth = 14.0
    private static let leastBar = 32.0

    /// Draws a list of rows of any height; in each frame, only the visible rows are measured and drawn.
    ///
    /// It is scrolled by the wheel, by the bar at its right edge and, while it has the keyboard focus, by the arrow
    /// keys, Page Up, Page Down, Home and End.
    ///
    /// - Parameters:
    ///   - id: The ID of the list.
    ///   - box: The rectangle of the list.
    ///   - count: The number of rows; new rows are added at the end.
    ///   - estimate: The height of a row that has not been shown yet, in points.
    ///   - prepended: The number of rows added before the first one since the list was first drawn.
    ///   - startsAtEnd: Whether the end is shown first, and stays in view when rows are added, as in chats.
    ///   - height: Measures a row.
    ///   - row: Draws a row.
    package func list(
        _ id: ControlID,
        in box: Box,
        count: Int,
        estimate: Double,
        prepended: Int = 0,
        startsAtEnd: Bool = false,
        height: (Int) -> Double,
        row: (Int, Box) -> Void
    ) {
        // The position is removed from the dictionary, so that changes do not copy the heights of all rows.
        var position =
            lists.removeValue(forKey: id).flatMap { $0.fits(box.width) ? $0 : nil }
            ?? ListPosition(count: count, estimate: estimate, width: box.width, staysAtEnd: startsAtEnd)
        position.prepend(prepended - position.prepended)
        position.resize(to: count)
        // A list without anything to scroll is no stop for Tab.
        let control = control(id, box, isEnabled: position.shares(view: box.height).visible < 1)
        handle(event, of: id, in: box, &position)
        if position.glide(at: motion.time) { motion.keepMoving() }
        let visible = position.layOut(view: box.height, height)
        painter.clip(clip(of: box, isAtStart: visible.first == 0 && position.hidden == 0)) {
            var top = box.y - position.hidden
            for index in visible {
                let height = position.heights.height(of: index)
                row(index, Box(x: box.x, y: top, width: box.width, height: height))
                top += height
            }
        }
        drawBar(id, in: box, &position, isFocused: control.isFocused)
        lists[id] = position
    }

    /// Returns the rectangle to which rows are clipped; it leaves space for the focus ring of the first row.
    private func clip(of box: Box, isAtStart: Bool) -> Box {
        let margin = Self.focusRingMargin
        let top = isAtStart ? margin : 0
        return Box(x: box.x - margin, y: box.y - top, width: box.width + 2 * margin, height: box.height + top)
    }

    /// Whether the end of a list is in view; true before it is first drawn.
    package func isListAtEnd(_ id: ControlID) -> Bool { lists[id]?.isAtEnd ?? true }

    /// The number of rows above the visible ones; nil before the list is first drawn.
    package func rowsAbove(_ id: ControlID) -> Int? { lists[id]?.first }

    /// Shows the end of a list.
    package func showEnd(ofList id: ControlID) { lists[id].map { lists[id]?.jump(to: $0.heights.count) } }

    /// Scrolls a list that has been drawn until a row is at the top, as far as the end of the list permits.
    package func show(row: Int, ofList id: ControlID) {
        lists[id]?.jump(to: row)
        motion.keepMoving()
    }

    /// Resets the position of a list, because its content is replaced.
    package func forgetList(_ id: ControlID) { lists[id] = nil }

    private func handle(_ event: InputEvent?, of id: ControlID, in box: Box, _ position: inout ListPosition) {
        guard isReachable, let event else { return }
        let page = box.height * 0.9
        switch event {
        case .wheel(let lines):
            if isPointer(in: box) { position.push(lines: lines) }
        case .key(let key) where focus.focused == id && activeField == nil:
            switch key {
            case .up: position.move(by: -40)
            case .down: position.move(by: 40)
            case .pageUp: position.move(by: -page)
            case .pageDown: position.move(by: page)
            case .edit(.home, _, _): position.jump(to: 0)
            case .edit(.end, _, _): position.jump(to: position.heights.count)
            default: break
            }
        case .press(let place) where isHeld(id) && place.x > box.right - Self.barWidth:
            listGrip = (id, grip(at: place, in: box, &position))
        case .move(let place):
            guard let listGrip, listGrip.list == id, isHeld(id) else { return }
            let bar = barLength(in: box, &position)
            position.jump(
                toShare: (place.y - box.y - listGrip.grip * bar) / max(1, box.height - bar),
                view: box.height
            )
        case .release: listGrip = nil
        default: break
        }
    }

    /// Returns the position at which the bar is held, 0…1 of its length; after a press beside the bar, its middle is
    /// moved to the pointer.
    private func grip(at place: Point, in box: Box, _ position: inout ListPosition) -> Double {
        let bar = barLength(in: box, &position)
        let top = box.y + (box.height - bar) * position.shares(view: box.height).above
        if place.y >= top, place.y < top + bar { return (place.y - top) / bar }
        position.jump(toShare: (place.y - box.y - bar / 2) / max(1, box.height - bar), view: box.height)
        return 0.5
    }

    private func barLength(in box: Box, _ position: inout ListPosition) -> Double {
        min(box.height, max(Self.leastBar, box.height * position.shares(view: box.height).visible))
    }

    /// Draws the bar, which also shows the keyboard focus: a ring around all rows would look like a selection.
    private func drawBar(_ id: ControlID, in box: Box, _ position: inout ListPosition, isFocused: Bool) {
        let shares = position.shares(view: box.height)
        guard shares.visible < 1 else { return }
        let length = barLength(in: box, &position)
        let isHeld = listGrip?.list == id
        let width = isHeld || isFocused ? 8.0 : 4
        painter.fill(
            Box(
                x: box.right - width - 2,
                y: box.y + (box.height - length) * shares.above,
                width: width,
                height: length
            ),
            radius: width / 2,
            isFocused ? theme.link : isHeld ? theme.faint : theme.outline
        )
    }
}
