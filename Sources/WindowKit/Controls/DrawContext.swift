/// The contents of the current frame, and the textures of its texts, pictures and flags.
@WindowActor package final class DrawContext {
    let list = DrawList()
    let texts: TextCache<OpaquePointer>
    let pictures: Pictures
    let flags: Flags

    /// Whether any font is installed.
    package let hasFonts: Bool

    /// Creates the context of a canvas; flags are drawn only if `flagsFolder` contains them.
    package init(_ canvas: Canvas, flagsFolder: String? = nil) {
        let typesetter = Typesetter()
        texts = canvas.sprites.makeTextCache(typesetter)
        pictures = Pictures(canvas)
        flags = Flags(canvas, folder: flagsFolder)
        hasFonts = typesetter.usedFamily(for: WindowFonts.preferred) != nil
    }

    /// A digest of the last frame; frames with the same digest look the same.
    package var digest: UInt64 { list.digest }

    /// Renders the last frame on top of everything drawn so far.
    package func render(on canvas: Canvas) {
        list.render(on: canvas)
        pictures.trim()
    }
}
