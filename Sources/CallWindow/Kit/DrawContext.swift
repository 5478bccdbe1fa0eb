internal import WindowKit

/// The frame that is drawn, and the textures of its texts.
@WindowActor final class DrawContext {
    let list = DrawList()
    let texts: TextCache<OpaquePointer>

    /// Whether any font is installed.
    let hasFonts: Bool

    init(_ sprites: Sprites) {
        let typesetter = Typesetter()
        texts = sprites.makeTextCache(typesetter)
        hasFonts = typesetter.usedFamily(for: WindowFonts.preferred) != nil
    }

    /// A digest of the last frame; frames with the same digest look the same.
    var digest: UInt64 { list.digest }

    /// Renders the last frame on top of everything drawn so far.
    func render(on canvas: Canvas) { list.render(on: canvas) }
}
