/// The icons of the window, drawn without a font.
package enum Glyph: Hashable, Sendable, CaseIterable {
    case disc, microphone, mutedMicrophone, closedCamera, camera, person
    case hangUp, answer, record, stop, snapshot, statistics, fullScreen, smallScreen, settings, cross, check,
        chevron
    case notice, leave, home, pause, play, skip, speaker, mutedSpeaker
    case smallPicture, largePicture
    case library, pencil, folder, bin, incoming, outgoing
    case back, forward, calendar
    case chat, send, attach, reply, copy, thumb, heart, star

    enum Step {
        case add(Shape), cut(Shape), clip(Shape)
    }

    /// Renders the coverage of each pixel, 0…255, row by row, in a square of `side` pixels.
    package func coverage(side: Int) -> [UInt8] {
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
        case .microphone: Self.microphoneSteps
        case .hangUp: Self.hangUpSteps
        case .answer: Self.answerSteps
        case .record: Self.recordSteps
        case .stop: Self.stopSteps
        case .snapshot: Self.snapshotSteps
        case .statistics: Self.statisticsSteps
        case .fullScreen: Self.fullScreenSteps
        case .smallScreen: Self.smallScreenSteps
        case .smallPicture: Self.smallPictureSteps
        case .largePicture: Self.largePictureSteps
        case .settings: Self.settingsSteps
        case .cross: Self.crossSteps
        case .check: Self.checkSteps
        case .chevron: Self.chevronSteps
        case .notice: Self.noticeSteps
        case .library: Self.librarySteps
        case .pencil: Self.pencilSteps
        case .folder: Self.folderSteps
        case .bin: Self.binSteps
        case .incoming: Self.arrow(from: GridPoint(17.6, 6.4), to: GridPoint(6.8, 17.2))
        case .outgoing: Self.arrow(from: GridPoint(6.4, 17.6), to: GridPoint(17.2, 6.8))
        case .back: Self.backSteps
        case .forward: Self.forwardSteps
        case .calendar: Self.calendarSteps
        case .chat: Self.chatSteps
        case .send: Self.sendSteps
        case .attach: Self.attachSteps
        case .reply: Self.replySteps
        case .copy: Self.copySteps
        case .thumb: Self.thumbSteps
        case .heart: Self.heartSteps
        case .star: Self.starSteps
        case .leave: Self.leaveSteps
        case .home: Self.homeSteps
        case .pause: Self.pauseSteps
        case .play: Self.playSteps
        case .skip: Self.skipSteps
        case .speaker: Self.speakerSteps
        case .mutedSpeaker: Self.speakerSteps + Self.strikeSteps
        }
    }
}
