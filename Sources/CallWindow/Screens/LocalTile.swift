internal import AppFlow
internal import Basics
internal import CallCore
internal import WindowKit

/// The local video, which the user can drag to any corner of the window.
@WindowActor final class LocalTile {
    /// The rectangle of the video in points; nil if it is not shown.
    private(set) var place: Box?
    private(set) var corner = TileCorner.bottomRight
    /// The size of a tile for which no video has arrived yet.
    private static let sizeWithoutVideo = Resolution(width: 1280, height: 720)
    /// Whether the tile is shown although no video has arrived yet.
    private var isEmpty = false
    /// The offset from the pointer to the top left corner of the tile while it is dragged, otherwise nil.
    private var grip: Point?

    var isDragged: Bool { grip != nil }

    /// Computes the position of the tile for local video of this size, which is nil if there is none.
    ///
    /// Without video, the tile is shown only after `isCameraOff` has been true. It is hidden if it would
    /// cover the middle of the `card`.
    func update(
        _ ui: Interface,
        size: Resolution?,
        isCameraOff: Bool,
        below signs: Box?,
        beside card: Box?,
        avoidsControls: Bool
    ) {
        isEmpty = size == nil && (isCameraOff || isEmpty)
        guard let size = size ?? (isEmpty ? Self.sizeWithoutVideo : nil) else { return place = nil }
        let area = ui.area
        let room = (
            width: min(max(area.width * 0.25, min(150, area.width * 0.4)), 360),
            height: min(max(area.height * 0.25, min(110, area.height * 0.3)), 270)
        )
        let share = min(room.width / Double(size.width), room.height / Double(size.height))
        let (width, height) = (Double(size.width) * share, Double(size.height) * share)
        let free = area.inset(by: min(Space.large, area.width * 0.03))
        var target = corner.place(width, height, in: free)
        if avoidsControls {
            let top = Box(x: area.width / 2 - 150, y: 0, width: 300, height: CallHeader.bottom)
            let row = CallNotices.place(in: ui)
            if target.intersects(CallBar.place(in: ui)) || target.intersects(row) {
                target.y = row.y - height - Space.small
            }
            if target.intersects(top) { target.y = top.bottom + Space.medium }
        }
        if let signs, target.intersects(signs) { target.y = signs.bottom + Space.medium }
        if let card, target.intersects(card.inset(x: card.width / 4, y: 0)) { return place = nil }
        let control = ui.control("call.tile", place ?? target)
        if let pointer = ui.pointer, ui.isHeld("call.tile") {
            let tile = place ?? target
            let grip = grip ?? Point(tile.x - pointer.x, tile.y - pointer.y)
            self.grip = grip
            target.x = min(max(0, pointer.x + grip.x), area.width - width)
            target.y = min(max(0, pointer.y + grip.y), area.height - height)
            corner = TileCorner(nearest: target.center, in: area)
        } else if grip != nil {
            grip = nil
            ui.motion.keepMoving()
        } else if control.wasClicked, control.isFocused {
            corner = corner.next
            ui.motion.keepMoving()
        }
        let duration = grip == nil ? Motion.duration : 0
        target.x = ui.motion.value("call.tile", "x", towards: target.x, lasting: duration)
        target.y = ui.motion.value("call.tile", "y", towards: target.y, lasting: duration)
        place = target
        ui.focusRing(control, "call.tile", around: target, radius: Corner.medium)
    }

    /// Draws the tile; the opacity of its caption is 0…1.
    func draw(_ ui: Interface, _ state: CallViewModel.State, captionOpacity: Double) {
        guard let tile = place else { return }
        if state.controls.isCameraOff || isEmpty {
            ui.painter.fill(tile, radius: Corner.medium, ui.theme.field)
        }
        if state.controls.isCameraOff {
            let center = Point(tile.center.x, tile.center.y - 8)
            ui.painter.glyph(.closedCamera, center: center, size: min(32, tile.height * 0.36), ui.theme.faint)
        }
        ui.painter.stroke(tile, radius: Corner.medium, width: 1.5, Color(0xFFFFFF, alpha: 90))
        if state.controls.isMuted {
            let badge = Box(x: tile.right - 30, y: tile.bottom - 30, width: 24, height: 24)
            ui.painter.fill(badge, radius: Corner.small, .glass)
            ui.painter.glyph(.mutedMicrophone, center: badge.center, size: 16, ui.theme.dangerInk)
        }
        ui.painter.opacity = captionOpacity
        drawCaption(ui, state, in: tile)
        ui.painter.opacity = 1
    }

    /// Draws the name of the video source and, if it was not the requested one, the reason for its choice.
    private func drawCaption(_ ui: Interface, _ state: CallViewModel.State, in tile: Box) {
        var lines = [ui.strings["call.you"]]
        if let source = state.source {
            lines[0] += " · " + source.name
            if let reason = source.reason, tile.height >= 100 {
                let key = "source.\(reason.replacing(" ", with: "-"))"
                lines.append(ui.strings.has(key) ? ui.strings[key] : reason)
            }
        }
        let badge = state.controls.isMuted ? 28.0 : 0
        let widest = lines.map { ui.painter.width(of: $0, .caption) }.max() ?? 0
        let height = 4 + 18 * Double(lines.count)
        let label = Box(
            x: tile.x + 6,
            y: tile.bottom - 6 - height,
            width: min(widest + 2 * Space.small, tile.width - 12 - badge),
            height: height
        )
        ui.painter.fill(label, radius: Corner.small, .glass)
        var inside = label.inset(x: Space.small, y: 2)
        for (index, line) in lines.enumerated() {
            let color = index == 0 ? ui.theme.text : ui.theme.faint
            ui.painter.text(line, in: inside.takeTop(18), .caption, color)
        }
    }
}
