internal import WindowKit

/// The corner of the window in which the local video is shown.
enum TileCorner: Hashable, Sendable, CaseIterable {
    case topLeft, topRight, bottomLeft, bottomRight

    /// Computes the rectangle of a tile in this corner of an area.
    func place(_ width: Double, _ height: Double, in area: Box) -> Box {
        let isLeft = self == .topLeft || self == .bottomLeft
        let isTop = self == .topLeft || self == .topRight
        return Box(
            x: isLeft ? area.x : area.right - width,
            y: isTop ? area.y : area.bottom - height,
            width: width,
            height: height
        )
    }

    /// Selects the corner that is nearest to a point.
    init(nearest point: Point, in area: Box) {
        let isLeft = point.x < area.center.x
        let isTop = point.y < area.center.y
        self = isTop ? (isLeft ? .topLeft : .topRight) : (isLeft ? .bottomLeft : .bottomRight)
    }

    /// The next corner, clockwise.
    var next: TileCorner {
        switch self {
        case .topLeft: .topRight
        case .topRight: .bottomRight
        case .bottomRight: .bottomLeft
        case .bottomLeft: .topLeft
        }
    }
}
