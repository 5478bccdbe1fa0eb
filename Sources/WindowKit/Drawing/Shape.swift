/// A point on a glyph's grid of 24 × 24; y increases downward.
struct GridPoint: Hashable, Sendable {
    var x: Double
    var y: Double

    init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }

    func distance(to other: GridPoint) -> Double {
        let (dx, dy) = (x - other.x, y - other.y)
        return (dx * dx + dy * dy).squareRoot()
    }
}

/// A shape on a glyph's grid, defined by the signed distance from a point to its outline.
enum Shape: Hashable, Sendable {
    case disc(center: GridPoint, radius: Double)
    /// A line with round ends.
    case line(from: GridPoint, to: GridPoint, width: Double)
    /// The lower half of a circle's outline, with round ends.
    case bowl(center: GridPoint, radius: Double, width: Double)
    case box(center: GridPoint, width: Double, height: Double, cornerRadius: Double)
    /// A convex polygon with its corners in clockwise order on the screen.
    case polygon([GridPoint])

    /// Computes the distance to the outline in grid units, negative inside.
    func distance(to point: GridPoint) -> Double {
        switch self {
        case .disc(let center, let radius):
            return point.distance(to: center) - radius
        case .line(let start, let end, let width):
            return Self.distance(from: point, toSegment: start, end) - width / 2
        case .bowl(let center, let radius, let width):
            let toCurve =
                point.y >= center.y
                ? abs(point.distance(to: center) - radius)
                : min(
                    point.distance(to: GridPoint(center.x - radius, center.y)),
                    point.distance(to: GridPoint(center.x + radius, center.y))
                )
            return toCurve - width / 2
        case .box(let center, let width, let height, let radius):
            let dx = abs(point.x - center.x) - width / 2 + radius
            let dy = abs(point.y - center.y) - height / 2 + radius
            let outside = GridPoint(max(dx, 0), max(dy, 0)).distance(to: GridPoint(0, 0))
            return outside + min(max(dx, dy), 0) - radius
        case .polygon(let corners):
            return Self.distance(from: point, toPolygon: corners)
        }
    }

    private static func distance(
        from point: GridPoint,
        toSegment start: GridPoint,
        _ end: GridPoint
    ) -> Double {
        let (dx, dy) = (end.x - start.x, end.y - start.y)
        let lengthSquared = max(dx * dx + dy * dy, .leastNormalMagnitude)
        let along = ((point.x - start.x) * dx + (point.y - start.y) * dy) / lengthSquared
        let nearest = min(max(along, 0), 1)
        return point.distance(to: GridPoint(start.x + nearest * dx, start.y + nearest * dy))
    }

    private static func distance(from point: GridPoint, toPolygon corners: [GridPoint]) -> Double {
        var distance = -Double.infinity
        for (index, start) in corners.enumerated() {
            let end = corners[(index + 1) % corners.count]
            let (dx, dy) = (end.x - start.x, end.y - start.y)
            let length = max((dx * dx + dy * dy).squareRoot(), .leastNormalMagnitude)
            distance = max(distance, ((point.x - start.x) * dy - (point.y - start.y) * dx) / length)
        }
        return distance
    }
}
