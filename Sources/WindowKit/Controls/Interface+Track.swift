extension Interface {
    /// The fraction by which an arrow key seeks.
    private static let step = 0.05
    /// The distance between the bars of a waveform, in points.
    private static let pitch = 4.0

    /// Draws the progress of playback: as a line, or as a waveform if the audio levels are known.
    ///
    /// - Parameters:
    ///   - id: The ID of the control.
    ///   - share: The played fraction, 0…1.
    ///   - levels: The audio levels from the beginning to the end, 0…1 each; empty for a line.
    ///   - box: The rectangle of the control.
    ///   - ink: The color of the played part.
    ///   - isEnabled: Whether the user can seek.
    /// - Returns: The fraction, 0…1, to which the user seeks; nil if the user does not.
    package func track(
        _ id: ControlID,
        _ share: Double,
        levels: [Double] = [],
        in box: Box,
        ink: Color,
        isEnabled: Bool = true
    ) -> Double? {
        let control = control(id, box, isEnabled: isEnabled)
        var rest = ink
        rest.alpha = UInt8(Double(ink.alpha) * 0.3)
        let end = box.x + box.width * min(max(0, share), 1)
        if levels.isEmpty {
            drawLine(box, end: end, ink, rest)
        } else {
            waveform(levels, in: box, end: end, ink, rest)
        }
        if isEnabled, control.isHovered || control.isFocused || share > 0 {
            painter.disc(Point(end, box.center.y), diameter: control.isHovered ? 14 : 12, ink)
        }
        focusRing(control, id, around: box, radius: Corner.small)
        if control.isFocused {
            if consumes(.alone(.left)) { return max(0, share - Self.step) }
            if consumes(.alone(.right)) { return min(1, share + Self.step) }
        }
        guard control.wasClicked, let pointer, box.contains(pointer), box.width > 0 else { return nil }
        return min(max(0, (pointer.x - box.x) / box.width), 1)
    }

    private func drawLine(_ box: Box, end: Double, _ ink: Color, _ rest: Color) {
        let line = Box(x: box.x, y: box.center.y - 2, width: box.width, height: 4)
        painter.fill(line, radius: 2, rest)
        if end > box.x {
            painter.fill(Box(x: line.x, y: line.y, width: end - line.x, height: 4), radius: 2, ink)
        }
    }

    /// Draws levels, 0…1 each, as bars; those before `end` in `ink`, and the others in `rest`.
    package func waveform(_ levels: [Double], in box: Box, end: Double, _ ink: Color, _ rest: Color) {
        let count = max(1, Int(box.width / Self.pitch))
        guard !levels.isEmpty else { return }
        for bar in 0..<count {
            let first = bar * levels.count / count
            let last = max(first + 1, (bar + 1) * levels.count / count)
            let level = levels[first..<min(last, levels.count)].max() ?? 0
            let height = max(2, box.height * min(max(0, level), 1))
            let x = box.x + Double(bar) * Self.pitch
            let place = Box(x: x, y: box.center.y - height / 2, width: Self.pitch - 1.5, height: height)
            painter.fill(place, radius: 1, x < end ? ink : rest)
        }
    }
}

extension InputKey {
    /// Creates an editing key without Ctrl and Shift.
    fileprivate static func alone(_ key: EditKey) -> InputKey { .edit(key, ctrl: false, shift: false) }
}
