/// The signs drawn in a call's window; no font is needed for them.
enum Glyph: Hashable, Sendable, CaseIterable {
    case disc, mutedMicrophone, closedCamera, camera, person

    private enum Step {
        case add(Shape), cut(Shape), clip(Shape)
    }

    /// How much of each pixel the glyph covers, 0…255, row by row, in a square of `side` pixels.
    func coverage(side: Int) -> [UInt8] {
        let side = max(1, side)
        let steps = self.steps
        let unit = 24 / Double(side)
        return [UInt8](unsafeUninitializedCapacity: side * side) { pixels, count in
            for row in 0..<side {
                for column in 0..<side {
                    let point = GridPoint((Double(column) + 0.5) * unit, (Double(row) + 0.5) * unit)
                    let covered = 0.5 - Self.distance(to: point, steps) / unit
                    pixels[row * side + column] = UInt8(min(max(covered, 0), 1) * 255)
                }
            }
            count = side * side
        }
    }

    private static func distance(to point: GridPoint, _ steps: [Step]) -> Double {
        steps.reduce(Double.infinity) { distance, step in
            switch step {
            case .add(let shape): min(distance, shape.distance(to: point))
            case .cut(let shape): max(distance, -shape.distance(to: point))
            case .clip(let shape): max(distance, shape.distance(to: point))
            }
        }
    }

    private var steps: [Step] {
        switch self {
        case .disc: [.add(.disc(center: GridPoint(12, 12), radius: 12))]
        case .mutedMicrophone: Self.microphoneSteps + Self.strikeSteps
        case .camera: Self.cameraSteps
        case .closedCamera: Self.cameraSteps + Self.strikeSteps
        case .person: Self.personSteps
        }
    }

    private static let microphoneSteps: [Step] = [
        .add(.line(from: GridPoint(12, 6), to: GridPoint(12, 11), width: 5.6)),
        .add(.bowl(center: GridPoint(12, 11.2), radius: 5.4, width: 1.7)),
        .add(.line(from: GridPoint(12, 16.8), to: GridPoint(12, 20), width: 1.7)),
        .add(.line(from: GridPoint(8.8, 20.4), to: GridPoint(15.2, 20.4), width: 1.7)),
    ]

    private static let cameraSteps: [Step] = [
        .add(.box(center: GridPoint(9, 12), width: 12.4, height: 10.4, cornerRadius: 2.2)),
        .add(
            .polygon([
                GridPoint(16.4, 11), GridPoint(21.2, 7.6), GridPoint(21.2, 16.4), GridPoint(16.4, 13),
            ])
        ),
    ]

    private static let strikeSteps: [Step] = [
        .cut(.line(from: GridPoint(4, 3.4), to: GridPoint(20.6, 20), width: 4.2)),
        .add(.line(from: GridPoint(4, 4), to: GridPoint(20, 20), width: 1.8)),
    ]

    private static let personSteps: [Step] = [
        .add(.disc(center: GridPoint(12, 9.2), radius: 3.9)),
        .add(.box(center: GridPoint(12, 21.6), width: 14.4, height: 13.6, cornerRadius: 6.8)),
        .clip(.disc(center: GridPoint(12, 12), radius: 12)),
    ]
}
