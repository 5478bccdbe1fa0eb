internal import AppFlow
internal import Basics
internal import LiveCore
internal import WindowKit

/// A row of a list, as a card: a picture or an icon at the left, a title and a detail beside it, and buttons at
/// the right.
@WindowActor struct ItemRow {
    struct Button {
        let glyph: Glyph
        let name: String
    }

    /// The part of a row that the user presses.
    enum Press: Hashable {
        case row
        /// The button with this index.
        case button(Int)
    }

    /// The height in points of a row with one line per text, including the space around the card.
    static let height = 78.0
    private static let linesHeight = 42.0
    private static let picture = (width: 96.0, height: 54.0)
    private static let buttonSide = 36.0
    /// The minimum width in points of a row that shows its picture.
    private static let leastWidth = 340.0

    var title: String
    var detail: String
    var glyph = Glyph.play
    var image: VideoFrame?
    /// A short text in the corner of the picture, such as a duration.
    var badge: String?
    /// The color of the icon if it is shown without a picture; nil if the row has a picture.
    var ink: Color?
    var isCurrent = false
    /// Whether the audio of the current item is muted.
    var isMuted = false
    var buttons: [Button] = []
    /// Whether a click on the row has an effect.
    var isControl = true

    private var note: TitledNote { TitledNote(title, note: detail) }

    /// Computes the height in points, including the space around the card; a narrow row wraps its texts.
    func height(_ ui: Interface, width: Double) -> Double {
        guard width < Self.leastWidth else { return Self.height }
        let inside = width - 2 * Space.small - Space.tiny - Double(buttons.count) * Self.buttonSide
        return Self.height - Self.linesHeight + max(Self.linesHeight, note.height(ui, width: inside))
    }

    /// Draws the row, and returns the part that the user presses.
    func draw(_ ui: Interface, _ id: ControlID, in place: Box) -> Press? {
        let box = place.inset(x: 0, y: Space.tiny)
        let control = ui.control(id, box, isEnabled: isControl)
        let hover = ui.motion.value(id, "hover", towards: control.isHovered ? 1 : 0)
        let fill = ui.theme.surface.mixed(with: ui.theme.highlight, share: 0.06 * hover)
        ui.painter.fill(
            box,
            radius: Corner.medium,
            isCurrent ? fill.mixed(with: ui.theme.link, share: 0.12) : fill
        )
        ui.painter.stroke(box, radius: Corner.medium, isCurrent ? ui.theme.link : ui.theme.outline)
        var rest = box.inset(x: Space.small, y: Space.small)
        // A narrow row, as with large text on a phone, shows the title rather than the picture.
        if box.width >= Self.leastWidth {
            drawPicture(ui, rest.takeLeft(Self.picture.width, gap: Space.medium))
        } else {
            _ = rest.takeLeft(Space.tiny)
        }
        var press: Press?
        let sides = rest.takeRight(Double(buttons.count) * Self.buttonSide).columns(buttons.count, gap: 0)
        for (index, (button, side)) in zip(buttons, sides).enumerated() {
            let isPressed = ui.iconButton(
                id.child(index),
                button.glyph,
                button.name,
                center: side.center,
                diameter: Self.buttonSide,
                ink: ui.theme.faint
            )
            if isPressed { press = .button(index) }
        }
        if box.width >= Self.leastWidth {
            var lines = Box(center: rest.center, width: rest.width, height: Self.linesHeight)
            ui.painter.text(title, in: lines.takeTop(22), .strong, ui.theme.text)
            ui.painter.text(detail, in: lines.takeTop(20), .caption, ui.theme.faint)
        } else {
            note.draw(ui, in: rest, ink: ui.theme.text, noteInk: ui.theme.faint)
        }
        ui.focusRing(control, id, around: box, radius: Corner.medium)
        return press ?? (control.wasClicked ? .row : nil)
    }

    private func drawPicture(_ ui: Interface, _ place: Box) {
        let box = Box(center: place.center, width: Self.picture.width, height: Self.picture.height)
        if let ink {
            return ui.painter.glyph(glyph, center: box.center, size: 26, ink)
        }
        ui.painter.fill(box, radius: Corner.small, Color(0x1C2028))
        if let image {
            ui.painter.picture(image, in: box, radius: Corner.small)
        } else {
            let glyph: Glyph = isCurrent ? isMuted ? .mutedSpeaker : .speaker : .play
            ui.painter.glyph(glyph, center: box.center, size: 22, .white)
        }
        guard let badge else { return }
        let width = ui.painter.width(of: badge, .caption) + 2 * Space.tiny + 2
        let pill = Box(x: box.right - width - 3, y: box.bottom - 21, width: width, height: 18)
        ui.painter.fill(pill, radius: 4, Color(0x05070B, alpha: 190))
        ui.painter.text(badge, in: pill, .caption, .white, .center)
    }
}

extension ItemRow {
    /// Marks the row as current if its stream is the one being played, and shows whether the audio is muted.
    mutating func mark(_ address: LiveAddress, _ playback: LivePlayback) {
        isCurrent = playback.address == address
        isMuted = playback.options.audio.isMuted
    }

    /// Creates the row of a recording, whose preview is nil until it has been read.
    init(_ recording: Recording, _ preview: RecordingPreview?, _ ui: Interface) {
        let size = ui.strings("library.size", ["size": Self.megabytes(recording.bytes)])
        self.init(
            title: recording.title.isEmpty ? recording.name : recording.title,
            detail: LocalTime(recording.began).text(ui.strings) + " · " + size
        )
        image = preview?.picture
        badge = preview?.duration?.clock
    }

    /// Formats a number of bytes as megabytes.
    private static func megabytes(_ bytes: Int) -> String {
        let tenths = (max(0, bytes) / 1000 + 50) / 100
        return tenths >= 100 ? "\((tenths + 5) / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
