internal import Basics
internal import WindowKit

/// A drawing of a call: both videos and both level meters.
@WindowActor final class CallScene {
    let remote: VideoTexture
    let local: VideoTexture
    var isCameraOn = true
    /// The audio levels in dBov; a side whose level is unknown has no entry.
    var levels: [MediaSide: Double] = [:]
    private let canvas: Canvas

    init(canvas: Canvas) {
        self.canvas = canvas
        remote = VideoTexture(canvas: canvas)
        local = VideoTexture(canvas: canvas)
    }

    /// Draws the whole content of a window that shows no `Screen`; `scale` is the number of pixels per
    /// device-independent pixel.
    func draw(scale: Double) {
        let (width, height) = canvas.size
        let layout = CallLayout(width: width, height: height, scale: scale)
        canvas.clear(.background)
        drawRemote(layout)
        drawLocal(layout)
        for (side, level) in levels { drawMeter(of: side, level, layout) }
    }

    /// Draws a level meter, which is full at 0 dBov and empty at −60 dBov.
    private func drawMeter(of side: MediaSide, _ level: Double, _ layout: CallLayout) {
        drawMeter(layout.meter(of: side, width: local.width, height: local.height), level)
    }

    private func drawMeter(_ bar: Rect, _ level: Double) {
        canvas.fill(bar, .meterTrough)
        let share = min(1, max(0, (level + 60) / 60))
        let height = Int((Double(bar.height) * share).rounded())
        let filled = Rect(x: bar.x, y: bar.y + bar.height - height, width: bar.width, height: height)
        canvas.fill(filled, level > -6 ? .warning : .meter)
    }

    /// Draws the videos and the level meters; a `ScreenView` is then drawn on top.
    func draw(scale: Double, localTile: Rect?, radius: Int, ground: Color, hidesRemote: Bool) {
        let (width, height) = canvas.size
        let layout = CallLayout(width: width, height: height, scale: scale)
        if remote.size != nil, !hidesRemote {
            let place = layout.remote(width: remote.width, height: remote.height)
            clear(around: place, in: layout.area, ground)
            remote.draw(in: place)
        } else {
            canvas.fill(layout.area, from: .backgroundTop, to: .background)
        }
        if let localTile, isCameraOn { local.draw(in: localTile, radius: radius) }
        if let level = levels[.remote] {
            drawMeter(layout.meter(of: .remote, width: remote.width, height: remote.height), level)
        }
        if let localTile, let level = levels[.local] { drawMeter(layout.meter(inside: localTile), level) }
    }

    /// Computes the part of the window that is changed by new frames and by new audio levels.
    ///
    /// - Parameters:
    ///   - sides: the sides whose frame is new.
    ///   - old: the audio levels that are shown now.
    ///   - scale: the number of pixels per device-independent pixel.
    ///   - localTile: the rectangle of the local video; nil if it is not shown.
    ///   - hidesRemote: whether something else is shown instead of the remote video.
    /// - Returns: the smallest rectangle around all changes; nil if no visible part changes.
    func changes(
        by sides: Set<MediaSide>,
        levelsBefore old: [MediaSide: Double],
        scale: Double,
        localTile: Rect?,
        hidesRemote: Bool
    ) -> Rect? {
        let (width, height) = canvas.size
        let layout = CallLayout(width: width, height: height, scale: scale)
        var parts: [Rect] = []
        if sides.contains(.remote), !hidesRemote {
            parts.append(layout.remote(width: remote.width, height: remote.height))
        }
        if sides.contains(.local), isCameraOn, let localTile { parts.append(localTile) }
        if levels[.remote] != old[.remote] {
            parts.append(layout.meter(of: .remote, width: remote.width, height: remote.height))
        }
        if levels[.local] != old[.local], let localTile { parts.append(layout.meter(inside: localTile)) }
        return parts.dropFirst().reduce(parts.first) { $0?.union($1) }
    }

    /// Clears only the area around the video, if the CPU draws.
    ///
    /// Clearing the pixels that the video covers would cost a large part of the time for drawing it.
    private func clear(around place: Rect, in area: Rect, _ color: Color) {
        guard canvas.isSoftware else { return canvas.clear(color) }
        let (right, bottom) = (place.x + place.width, place.y + place.height)
        for bar in [
            Rect(x: 0, y: 0, width: place.x, height: area.height),
            Rect(x: right, y: 0, width: area.width - right, height: area.height),
            Rect(x: 0, y: 0, width: area.width, height: place.y),
            Rect(x: 0, y: bottom, width: area.width, height: area.height - bottom),
        ] where bar.width > 0 && bar.height > 0 {
            canvas.fill(bar, color)
        }
    }

    private func drawRemote(_ layout: CallLayout) {
        guard remote.size != nil else {
            canvas.fill(layout.area, from: .backgroundTop, to: .background)
            return drawIcon(in: layout.area)
        }
        remote.draw(in: layout.remote(width: remote.width, height: remote.height))
    }

    /// Computes the rectangle of the local video if no `Screen` is shown; nil without local video.
    func tile(scale: Double) -> Rect? {
        let (width, height) = canvas.size
        guard local.size != nil else { return nil }
        return CallLayout(width: width, height: height, scale: scale)
            .local(width: local.width, height: local.height)
    }

    private func drawLocal(_ layout: CallLayout) {
        guard local.size != nil else { return }
        let tile = layout.local(width: local.width, height: local.height)
        for step in 1...6 * layout.unit {
            let fading = 1 - Double(step) / Double(6 * layout.unit + 1)
            canvas.frame(
                tile.grown(by: layout.unit + step),
                thickness: 1,
                Color(0, alpha: UInt8(90 * fading * fading))
            )
        }
        if isCameraOn {
            local.draw(in: tile)
        } else {
            canvas.fill(tile, .tile)
            drawEmblem(in: tile)
        }
        canvas.frame(tile.grown(by: layout.unit), thickness: layout.unit, .border)
    }

    /// Draws the program's icon, which is seen until the first screen is shown.
    private func drawIcon(in rect: Rect) {
        let disc = CallLayout.emblem(in: rect)
        let inset = disc.width / 5
        let inner = Rect(
            x: disc.x + inset,
            y: disc.y + inset,
            width: disc.width - 2 * inset,
            height: disc.height - 2 * inset
        )
        canvas.draw(.disc, in: disc, .brand)
        canvas.draw(.camera, in: inner, .white)
    }

    private func drawEmblem(in rect: Rect) {
        let emblem = CallLayout.emblem(in: rect)
        canvas.draw(.disc, in: emblem, .emblem)
        canvas.draw(.person, in: emblem, .emblemInk)
    }
}
