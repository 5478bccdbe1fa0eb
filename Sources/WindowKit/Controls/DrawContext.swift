/// The frame that is drawn, and the textures of its texts.
@WindowActor package final class DrawContext {
    let list = DrawList()
    let texts: TextCache<OpaquePointer>

    /// Whether any font is installed.
    package let hasFonts: Bool

    package init(_ sprites: Sprites) {
        let typesetter = Typesetter()
        texts = sprites.makeTextCache(typesetter)
        hasFonts = typesetter.usedFamily(for: WindowFonts.preferred) != nil
    }

    /// A digest of the last frame; frames with the same digest look the same.
    package var digest: UInt64 { list.digest }

    /// Renders the last frame on top of everything drawn so far.
    package func render(on canvas: Canvas) { list.render(on: canvas) }
}
