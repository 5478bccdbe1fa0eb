internal import WindowKit

/// The video that is played in a conversation, with the place where it was drawn last.
@WindowActor final class ConversationVideo {
    private let texture: VideoTexture
    /// The rectangle in the current frame; nil if the message is not in view.
    var box: Box?

    init(texture: VideoTexture) { self.texture = texture }

    /// Draws the newest frame in the middle of the box, as large as possible.
    func draw(_ ui: Interface, in box: Box) {
        self.box = box
        if texture.size != nil { ui.painter.video(texture, in: box, radius: Corner.medium) }
    }
}
