internal import WindowKit

/// The video that is played in a conversation, with the place where it was drawn last.
@WindowActor final class ConversationVideo {
    private let texture: VideoTexture
    /// The rectangle in the current frame; nil if the message was not drawn.
    private var box: Box?
    /// The area of the messages, outside which no part of the video is visible.
    private var area = Box(x: 0, y: 0, width: 0, height: 0)

    init(texture: VideoTexture) { self.texture = texture }

    /// Begins another frame.
    func begin() { box = nil }

    /// Sets the area of the messages.
    func show(in area: Box) { self.area = area }

    /// Draws the newest frame in the middle of the box, as large as possible.
    func draw(_ ui: Interface, in box: Box) {
        self.box = box
        if texture.size != nil { ui.painter.video(texture, in: box, radius: Corner.medium) }
    }

    /// The rectangle in pixels and its visible part; nil if no part is visible.
    func place(_ painter: Painter) -> (whole: Rect, part: Rect)? {
        guard let box else { return nil }
        let whole = painter.rect(box)
        let part = whole.intersection(painter.rect(area))
        return part.width > 0 && part.height > 0 ? (whole, part) : nil
    }
}
