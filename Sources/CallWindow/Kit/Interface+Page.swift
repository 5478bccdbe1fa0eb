extension Interface {
    /// A column in the middle of the window, scrolled where the window is too low for it.
    func page(_ id: ControlID, width: Double, height: Double, _ body: (Box) -> Void) {
        let margin = area.width < 480 ? Space.medium : Space.huge
        // Where there is little room the signs in the corner stand beside the column, not above it.
        let hasLittle = area.height < 620 && area.width > width + 160
        let top = hasLittle ? Space.medium : 56.0
        let column = min(width, area.width - 2 * margin)
        let whole = Box(x: 0, y: 0, width: area.width, height: area.height)
        let content = max(height + top + Space.huge, area.height)
        scroll(id, whole, contentHeight: height + top + Space.huge > area.height ? content : 0) { box in
            // A little above the middle looks like the middle.
            let spare = max(0, area.height - height - top - Space.huge)
            body(
                Box(
                    x: ((area.width - column) / 2).rounded(),
                    y: box.y + top + (spare * 0.42).rounded(),
                    width: column,
                    height: height
                )
            )
        }
    }
}
