extension Glyph {
    static let microphoneSteps: [Step] = [
        .add(.line(from: GridPoint(12, 6), to: GridPoint(12, 11), width: 5.6)),
        .add(.bowl(center: GridPoint(12, 11.2), radius: 5.4, width: 1.7)),
        .add(.line(from: GridPoint(12, 16.8), to: GridPoint(12, 20), width: 1.7)),
        .add(.line(from: GridPoint(8.8, 20.4), to: GridPoint(15.2, 20.4), width: 1.7)),
    ]

    static let pauseSteps: [Step] = [
        .add(.box(center: GridPoint(8.4, 12), width: 4, height: 13, cornerRadius: 1.4)),
        .add(.box(center: GridPoint(15.6, 12), width: 4, height: 13, cornerRadius: 1.4)),
    ]

    static let playSteps: [Step] = [
        .add(.polygon([GridPoint(7.6, 4.8), GridPoint(19.6, 12), GridPoint(7.6, 19.2)]))
    ]

    /// A triangle that points to a line, for skipping to the end.
    static let skipSteps: [Step] = [
        .add(.polygon([GridPoint(5.6, 5.4), GridPoint(16, 12), GridPoint(5.6, 18.6)])),
        .add(.line(from: GridPoint(18, 6.2), to: GridPoint(18, 17.8), width: 2.4)),
    ]

    /// A loudspeaker with one wave of sound.
    static let speakerSteps: [Step] = [
        .add(.disc(center: GridPoint(11, 12), radius: 9.4)),
        .cut(.disc(center: GridPoint(11, 12), radius: 7.6)),
        .clip(
            .polygon([
                GridPoint(12.4, 12), GridPoint(22, 4.6), GridPoint(24, 12), GridPoint(22, 19.4),
            ])
        ),
        .add(.box(center: GridPoint(5.8, 12), width: 5, height: 6.4, cornerRadius: 1.2)),
        .add(
            .polygon([
                GridPoint(6, 9.4), GridPoint(12.6, 4.6), GridPoint(12.6, 19.4), GridPoint(6, 14.6),
            ])
        ),
    ]

    static let cameraSteps: [Step] = [
        .add(.box(center: GridPoint(9, 12), width: 12.4, height: 10.4, cornerRadius: 2.2)),
        .add(
            .polygon([
                GridPoint(16.4, 11), GridPoint(21.2, 7.6), GridPoint(21.2, 16.4), GridPoint(16.4, 13),
            ])
        ),
    ]

    static let strikeSteps: [Step] = [
        .cut(.line(from: GridPoint(4, 3.4), to: GridPoint(20.6, 20), width: 4.2)),
        .add(.line(from: GridPoint(4, 4), to: GridPoint(20, 20), width: 1.8)),
    ]

    static let personSteps: [Step] = [
        .add(.disc(center: GridPoint(12, 9.2), radius: 3.9)),
        .add(.box(center: GridPoint(12, 21.6), width: 14.4, height: 13.6, cornerRadius: 6.8)),
        .clip(.disc(center: GridPoint(12, 12), radius: 12)),
    ]

    /// A telephone receiver that lies down, for ending a call.
    static let hangUpSteps: [Step] = [
        .add(.disc(center: GridPoint(12, 21), radius: 12.4)),
        .cut(.disc(center: GridPoint(12, 22.6), radius: 9.6)),
        .clip(.box(center: GridPoint(12, 11.6), width: 22, height: 7.6, cornerRadius: 1.6)),
        .add(.box(center: GridPoint(4.3, 13.6), width: 5.4, height: 4.6, cornerRadius: 1.4)),
        .add(.box(center: GridPoint(19.7, 13.6), width: 5.4, height: 4.6, cornerRadius: 1.4)),
    ]

    /// A telephone receiver that is picked up, for answering a call.
    static let answerSteps: [Step] = [
        .add(.disc(center: GridPoint(18.2, 5.8), radius: 15.6)),
        .cut(.disc(center: GridPoint(19.4, 4.6), radius: 12.4)),
        .clip(.line(from: GridPoint(5, 5.6), to: GridPoint(18.4, 19), width: 8)),
        .add(.line(from: GridPoint(5.6, 5.6), to: GridPoint(7.8, 8), width: 4.8)),
        .add(.line(from: GridPoint(16, 16.2), to: GridPoint(18.4, 18.4), width: 4.8)),
    ]

    /// A house.
    static let homeSteps: [Step] = [
        .add(.polygon([GridPoint(12, 3.4), GridPoint(21.6, 12), GridPoint(2.4, 12)])),
        .add(.box(center: GridPoint(12, 15.2), width: 14, height: 10.4, cornerRadius: 1.6)),
        .cut(.box(center: GridPoint(12, 18.2), width: 4, height: 6, cornerRadius: 0.8)),
    ]

    /// A picture with a triangle, in front of the edge of another one.
    static let librarySteps: [Step] = [
        .add(.box(center: GridPoint(13.8, 10.4), width: 15, height: 13, cornerRadius: 2.2)),
        .cut(.polygon([GridPoint(11.4, 6.6), GridPoint(17.6, 10.4), GridPoint(11.4, 14.2)])),
        .add(.line(from: GridPoint(3.6, 8.4), to: GridPoint(3.6, 20), width: 2)),
        .add(.line(from: GridPoint(3.6, 20), to: GridPoint(17.4, 20), width: 2)),
    ]

    static let pencilSteps: [Step] = [
        .add(.line(from: GridPoint(9.2, 14.8), to: GridPoint(17.4, 6.6), width: 4.4)),
        .add(.polygon([GridPoint(4, 20), GridPoint(5.4, 14.4), GridPoint(9.6, 18.6)])),
        .cut(.line(from: GridPoint(13, 7.4), to: GridPoint(16.6, 11), width: 1.2)),
    ]

    static let folderSteps: [Step] = [
        .add(.box(center: GridPoint(7.6, 7.4), width: 8.6, height: 5, cornerRadius: 1.6)),
        .add(.box(center: GridPoint(12, 13.2), width: 19, height: 12.4, cornerRadius: 2)),
    ]

    static let binSteps: [Step] = [
        .add(.line(from: GridPoint(5.2, 6.8), to: GridPoint(18.8, 6.8), width: 1.9)),
        .add(.line(from: GridPoint(10, 4.4), to: GridPoint(14, 4.4), width: 1.9)),
        .add(.box(center: GridPoint(12, 14.4), width: 11.6, height: 11.4, cornerRadius: 1.8)),
        .cut(.line(from: GridPoint(9.8, 11.4), to: GridPoint(9.8, 17.2), width: 1.3)),
        .cut(.line(from: GridPoint(14.2, 11.4), to: GridPoint(14.2, 17.2), width: 1.3)),
    ]

    /// A diagonal arrow.
    static func arrow(from start: GridPoint, to end: GridPoint) -> [Step] {
        let (dx, dy) = ((start.x - end.x) * 0.72, (start.y - end.y) * 0.72)
        return [
            .add(.line(from: start, to: end, width: 2.2)),
            .add(.line(from: end, to: GridPoint(end.x + dx, end.y), width: 2.2)),
            .add(.line(from: end, to: GridPoint(end.x, end.y + dy), width: 2.2)),
        ]
    }

    static let recordSteps: [Step] = [
        .add(.disc(center: GridPoint(12, 12), radius: 9.6)),
        .cut(.disc(center: GridPoint(12, 12), radius: 7.9)),
        .add(.disc(center: GridPoint(12, 12), radius: 5)),
    ]

    static let stopSteps: [Step] = [
        .add(.disc(center: GridPoint(12, 12), radius: 9.6)),
        .cut(.disc(center: GridPoint(12, 12), radius: 7.9)),
        .add(.box(center: GridPoint(12, 12), width: 7.4, height: 7.4, cornerRadius: 1.4)),
    ]

    /// A photo camera.
    static let snapshotSteps: [Step] = [
        .add(.box(center: GridPoint(12, 13.2), width: 20, height: 13.6, cornerRadius: 2.6)),
        .add(.box(center: GridPoint(12, 6.6), width: 8, height: 4.4, cornerRadius: 1.6)),
        .cut(.disc(center: GridPoint(12, 13.2), radius: 5)),
        .add(.disc(center: GridPoint(12, 13.2), radius: 3.2)),
    ]

    static let statisticsSteps: [Step] = [
        .add(.line(from: GridPoint(5, 19), to: GridPoint(5, 13), width: 3.2)),
        .add(.line(from: GridPoint(12, 19), to: GridPoint(12, 5), width: 3.2)),
        .add(.line(from: GridPoint(19, 19), to: GridPoint(19, 9.5), width: 3.2)),
    ]

    /// Four corners that point outward.
    static let fullScreenSteps: [Step] = corners(outer: 4, inner: 9)
    /// Four corners that point inward.
    static let smallScreenSteps: [Step] = corners(outer: 9, inner: 4)

    private static func corners(outer: Double, inner: Double) -> [Step] {
        [false, true].flatMap { isRight in
            [false, true].flatMap { isLow in
                func place(_ x: Double, _ y: Double) -> GridPoint {
                    GridPoint(isRight ? 24 - x : x, isLow ? 24 - y : y)
                }
                return [
                    Step.add(.line(from: place(outer, outer), to: place(inner, outer), width: 2)),
                    .add(.line(from: place(outer, outer), to: place(outer, inner), width: 2)),
                ]
            }
        }
    }

    private static let screen: [Step] = [
        .add(.box(center: GridPoint(12, 12), width: 20, height: 15, cornerRadius: 2.4)),
        .cut(.box(center: GridPoint(12, 12), width: 16.4, height: 11.4, cornerRadius: 1)),
    ]

    /// A screen with a small picture in its corner.
    static let smallPictureSteps: [Step] =
        screen + [.add(.box(center: GridPoint(15.2, 13.8), width: 7.4, height: 5.6, cornerRadius: 1))]

    /// A screen with an arrow into its middle.
    static let largePictureSteps: [Step] =
        screen + [
            .add(.line(from: GridPoint(16.6, 15.2), to: GridPoint(9, 9.8), width: 1.9)),
            .add(.line(from: GridPoint(9, 9.8), to: GridPoint(13, 9.8), width: 1.9)),
            .add(.line(from: GridPoint(9, 9.8), to: GridPoint(9, 13), width: 1.9)),
        ]

    /// Two sliders.
    static let settingsSteps: [Step] = [
        .add(.line(from: GridPoint(3.6, 8), to: GridPoint(20.4, 8), width: 2)),
        .add(.line(from: GridPoint(3.6, 16), to: GridPoint(20.4, 16), width: 2)),
        .cut(.disc(center: GridPoint(15.4, 8), radius: 4.4)),
        .add(.disc(center: GridPoint(15.4, 8), radius: 3)),
        .cut(.disc(center: GridPoint(8.6, 16), radius: 4.4)),
        .add(.disc(center: GridPoint(8.6, 16), radius: 3)),
    ]

    static let crossSteps: [Step] = [
        .add(.line(from: GridPoint(6.4, 6.4), to: GridPoint(17.6, 17.6), width: 2)),
        .add(.line(from: GridPoint(17.6, 6.4), to: GridPoint(6.4, 17.6), width: 2)),
    ]

    static let checkSteps: [Step] = [
        .add(.line(from: GridPoint(5, 12.6), to: GridPoint(10, 17.4), width: 2.2)),
        .add(.line(from: GridPoint(10, 17.4), to: GridPoint(19, 7), width: 2.2)),
    ]

    static let backSteps: [Step] = [
        .add(.line(from: GridPoint(14.6, 6), to: GridPoint(8.8, 12), width: 2)),
        .add(.line(from: GridPoint(8.8, 12), to: GridPoint(14.6, 18), width: 2)),
    ]

    static let forwardSteps: [Step] = [
        .add(.line(from: GridPoint(9.4, 6), to: GridPoint(15.2, 12), width: 2)),
        .add(.line(from: GridPoint(15.2, 12), to: GridPoint(9.4, 18), width: 2)),
    ]

    /// A sheet of a calendar with two rings.
    static let calendarSteps: [Step] = [
        .add(.box(center: GridPoint(12, 13), width: 16.4, height: 15, cornerRadius: 2.6)),
        .cut(.box(center: GridPoint(12, 14.8), width: 12.8, height: 7.8, cornerRadius: 1)),
        .add(.line(from: GridPoint(8, 4.6), to: GridPoint(8, 7), width: 2)),
        .add(.line(from: GridPoint(16, 4.6), to: GridPoint(16, 7), width: 2)),
        .add(.box(center: GridPoint(15, 16.2), width: 2.8, height: 2.8, cornerRadius: 0.6)),
    ]

    static let chevronSteps: [Step] = [
        .add(.line(from: GridPoint(6.4, 9.4), to: GridPoint(12, 15), width: 2)),
        .add(.line(from: GridPoint(12, 15), to: GridPoint(17.6, 9.4), width: 2)),
    ]

    /// An exclamation mark on a disc.
    static let noticeSteps: [Step] = [
        .add(.disc(center: GridPoint(12, 12), radius: 10)),
        .cut(.line(from: GridPoint(12, 7), to: GridPoint(12, 12.6), width: 2.4)),
        .cut(.disc(center: GridPoint(12, 16.8), radius: 1.5)),
    ]

    /// A door with an arrow that leads out.
    static let leaveSteps: [Step] = [
        .add(.line(from: GridPoint(10, 4), to: GridPoint(5, 4), width: 2)),
        .add(.line(from: GridPoint(5, 4), to: GridPoint(5, 20), width: 2)),
        .add(.line(from: GridPoint(5, 20), to: GridPoint(10, 20), width: 2)),
        .add(.line(from: GridPoint(10, 12), to: GridPoint(20, 12), width: 2)),
        .add(.line(from: GridPoint(16, 8), to: GridPoint(20, 12), width: 2)),
        .add(.line(from: GridPoint(16, 16), to: GridPoint(20, 12), width: 2)),
    ]
}
