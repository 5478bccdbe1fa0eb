internal import Basics
internal import WindowKit

/// A video of the app outside calls: its newest frame, and the texture in which the window draws it.
@WindowActor final class StreamVideo {
    /// The newest frame, stored as a frame of the remote side.
    nonisolated let latest: LatestFrame
    let texture: VideoTexture
    /// Whether a new frame has been fetched but not yet presented.
    private(set) var hasNewFrame = false
    private var isShown = false

    /// Creates the video of the window with this ID.
    init(canvas: Canvas, window id: UInt32) {
        latest = LatestFrame { WindowActor.executor.postRedraw(ofWindow: id) }
        texture = VideoTexture(canvas: canvas)
    }

    /// Sets whether frames are wanted; returns true if they were until now, and are not any more.
    func setShown(_ isShown: Bool) -> Bool {
        defer { self.isShown = isShown }
        latest.setHidden(!isShown)
        return self.isShown && !isShown
    }

    /// Puts the newest frame into the texture; returns true if its size differs from that of the previous frame.
    func fetch() -> Bool {
        guard let frame = latest.fetch(.remote) else { return false }
        let size = texture.size
        if texture.setFrame(frame) { hasNewFrame = true }
        return texture.size != size
    }

    /// Counts the frame that has been presented; returns false if there is none.
    func countFrame() -> Bool {
        defer { hasNewFrame = false }
        if hasNewFrame { latest.countShown(.remote) }
        return hasNewFrame
    }

    /// Scales the next frames for a rectangle in pixels; nil if they are not shown.
    func fit(_ rect: Rect?, isSoftware: Bool) {
        let size = rect.map { ShownSize.inside(Resolution(width: $0.width, height: $0.height)) }
        latest.setShownSize(isSoftware ? size : nil, of: .remote)
        latest.setShownHeight(rect?.height)
    }

    /// Removes the last frame, because another stream follows.
    func clear() {
        latest.discard(.remote)
        texture.clear()
    }
}
