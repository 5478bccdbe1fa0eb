internal import Glibc

extension Glyph {
    /// A speech bubble with two lines.
    static let chatSteps: [Step] = [
        .add(.box(center: GridPoint(12, 10.6), width: 18.4, height: 13.6, cornerRadius: 4)),
        .add(.polygon([GridPoint(6, 15), GridPoint(13, 16.4), GridPoint(6.2, 21.4)])),
        .cut(.line(from: GridPoint(7.4, 8.8), to: GridPoint(16.6, 8.8), width: 1.8)),
        .cut(.line(from: GridPoint(7.4, 12.6), to: GridPoint(13.4, 12.6), width: 1.8)),
    ]

    /// A paper plane.
    static let sendSteps: [Step] = [
        .add(.polygon([GridPoint(3, 3.8), GridPoint(21.6, 12), GridPoint(3, 20.2), GridPoint(5.6, 12)])),
        .add(.polygon([GridPoint(3, 3.8), GridPoint(21.6, 12), GridPoint(5.6, 12)])),
        .cut(.line(from: GridPoint(4.4, 12), to: GridPoint(13.4, 12), width: 1.6)),
    ]

    /// A sheet of paper with an arrow that points up.
    static let attachSteps: [Step] = [
        .add(.box(center: GridPoint(12, 12), width: 15, height: 19, cornerRadius: 2.6)),
        .cut(.line(from: GridPoint(12, 8), to: GridPoint(12, 16.6), width: 1.9)),
        .cut(.line(from: GridPoint(12, 7.4), to: GridPoint(8.4, 11), width: 1.9)),
        .cut(.line(from: GridPoint(12, 7.4), to: GridPoint(15.6, 11), width: 1.9)),
    ]

    /// An arrow that turns back to the left.
    static let replySteps: [Step] = [
        .add(.polygon([GridPoint(10.4, 4.2), GridPoint(10.4, 16.2), GridPoint(3, 10.2)])),
        .add(.line(from: GridPoint(9.4, 10.2), to: GridPoint(15, 10.2), width: 3)),
        .add(.line(from: GridPoint(15, 10.2), to: GridPoint(19.4, 14), width: 3)),
        .add(.line(from: GridPoint(19.4, 14), to: GridPoint(20, 18.6), width: 3)),
    ]

    /// Two sheets of paper.
    static let copySteps: [Step] = [
        .add(.box(center: GridPoint(14, 9.6), width: 11.6, height: 13, cornerRadius: 2)),
        .cut(.box(center: GridPoint(10, 14.2), width: 14.4, height: 15.6, cornerRadius: 3)),
        .add(.box(center: GridPoint(9.6, 14.6), width: 11.6, height: 13, cornerRadius: 2)),
    ]

    /// A thumb that points up.
    static let thumbSteps: [Step] = [
        .add(.box(center: GridPoint(5, 15), width: 3.6, height: 9.6, cornerRadius: 1)),
        .add(.box(center: GridPoint(13.6, 15), width: 11.6, height: 10, cornerRadius: 3)),
        .add(.line(from: GridPoint(11, 11.4), to: GridPoint(13.4, 5.4), width: 3.6)),
    ]

    static let heartSteps: [Step] = [
        .add(.disc(center: GridPoint(7.8, 9.2), radius: 4.9)),
        .add(.disc(center: GridPoint(16.2, 9.2), radius: 4.9)),
        .add(.polygon([GridPoint(4.2, 12.4), GridPoint(12, 8), GridPoint(19.8, 12.4), GridPoint(12, 20.6)])),
    ]

    /// A star of five overlapping triangles: each leads from a point across the center to two inner corners.
    static let starSteps: [Step] = (0..<5).map { point in
        func corner(_ turn: Double, _ radius: Double) -> GridPoint {
            GridPoint(12 + radius * sin(turn), 12.6 - radius * cos(turn))
        }
        let turn = Double(point) * 0.4 * .pi
        return .add(.polygon([corner(turn, 9.6), corner(turn + 0.6 * .pi, 5), corner(turn - 0.6 * .pi, 5)]))
    }
}
