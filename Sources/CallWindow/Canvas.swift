internal import CSDL

/// Draws on an SDL renderer; its textures live as long as the renderer.
@WindowActor final class Canvas {
    let renderer: OpaquePointer
    private var glyphs: [GlyphKey: OpaquePointer] = [:]

    private struct GlyphKey: Hashable {
        let glyph: Glyph
        let side: Int
    }

    init(renderer: OpaquePointer) {
        self.renderer = renderer
        SDL_SetRenderDrawBlendMode(renderer, SDL_BLENDMODE_BLEND)
    }

    /// The size of what is drawn on, in pixels.
    var size: (width: Int, height: Int) {
        var (width, height): (Int32, Int32) = (0, 0)
        SDL_GetRendererOutputSize(renderer, &width, &height)
        return (Int(width), Int(height))
    }

    func clear(_ color: Color) {
        setColor(color)
        SDL_RenderClear(renderer)
    }

    func fill(_ rect: Rect, _ color: Color) {
        setColor(color)
        withUnsafePointer(to: SDL_Rect(rect)) { _ = SDL_RenderFillRect(renderer, $0) }
    }

    /// The lines of a frame inside the rectangle's edge.
    func frame(_ rect: Rect, thickness: Int, _ color: Color) {
        setColor(color)
        for inset in 0..<max(1, thickness) {
            withUnsafePointer(to: SDL_Rect(rect.grown(by: -inset))) {
                _ = SDL_RenderDrawRect(renderer, $0)
            }
        }
    }

    /// A gradient over the rectangle, top to bottom, in as many bands as there are shades.
    func fill(_ rect: Rect, from top: Color, to bottom: Color) {
        let bands = min(top.largestDifference(to: bottom) + 1, rect.height)
        for band in 0..<bands {
            let (start, end) = (rect.height * band / bands, rect.height * (band + 1) / bands)
            let part = Rect(x: rect.x, y: rect.y + start, width: rect.width, height: end - start)
            fill(part, top.mixed(with: bottom, share: Double(band) / Double(max(1, bands - 1))))
        }
    }

    func draw(_ texture: OpaquePointer, in rect: Rect) {
        withUnsafePointer(to: SDL_Rect(rect)) { _ = SDL_RenderCopy(renderer, texture, nil, $0) }
    }

    func draw(_ glyph: Glyph, in rect: Rect, _ color: Color) {
        guard let texture = texture(of: glyph, side: rect.width) else { return }
        SDL_SetTextureColorMod(texture, color.red, color.green, color.blue)
        SDL_SetTextureAlphaMod(texture, color.alpha)
        draw(texture, in: rect)
    }

    private func setColor(_ color: Color) {
        SDL_SetRenderDrawColor(renderer, color.red, color.green, color.blue, color.alpha)
    }

    /// The glyph in white at the size asked for, made once.
    private func texture(of glyph: Glyph, side: Int) -> OpaquePointer? {
        let key = GlyphKey(glyph: glyph, side: side)
        if let texture = glyphs[key] { return texture }
        if glyphs.count >= 16 { forgetGlyphs() }  // the window has been resized again and again
        guard
            let texture = SDL_CreateTexture(
                renderer,
                SDL_PIXELFORMAT_ARGB8888.rawValue,
                Int32(SDL_TEXTUREACCESS_STATIC.rawValue),
                Int32(side),
                Int32(side)
            )
        else { return nil }
        let pixels = glyph.coverage(side: side).map { UInt32($0) << 24 | 0xFF_FFFF }
        SDL_UpdateTexture(texture, nil, pixels, Int32(side * 4))
        SDL_SetTextureBlendMode(texture, SDL_BLENDMODE_BLEND)
        glyphs[key] = texture
        return texture
    }

    private func forgetGlyphs() {
        for texture in glyphs.values { SDL_DestroyTexture(texture) }
        glyphs = [:]
    }
}

extension SDL_Rect {
    init(_ rect: Rect) {
        self.init(x: Int32(rect.x), y: Int32(rect.y), w: Int32(rect.width), h: Int32(rect.height))
    }
}
