internal import WindowKit

/// The column of a page with a list of items.
@WindowActor enum ItemColumn {
    private static let width = 760.0
    /// The width of the list's scroll bar, which is beside the column.
    private static let barWidth = 10.0
    /// The space to the left of a row for its focus ring, which the list would clip otherwise.
    private static let ringWidth = 8.0

    /// Computes the rectangle of the column, which is centered in the page and as high as the page.
    static func box(_ ui: Interface) -> Box {
        let page = ui.pageArea
        let margin = page.width < 480 ? Space.medium : Space.huge
        let width = min(Self.width, page.width - 2 * margin)
        return Box(x: ((page.width - width) / 2).rounded(), y: 0, width: width, height: page.height)
    }

    /// Draws a list in a part of the column.
    static func list(
        _ id: ControlID,
        _ ui: Interface,
        in part: Box,
        count: Int,
        height: (Int) -> Double,
        row: (Int, Box) -> Void
    ) {
        var box = part
        box.x -= ringWidth
        box.width += ringWidth + barWidth
        ui.list(id, in: box, count: count, estimate: ItemRow.height, height: height) { index, place in
            var inside = place
            inside.x += ringWidth
            inside.width -= ringWidth + barWidth
            row(index, inside)
        }
    }
}
