internal import CSDL

/// The textures of sprites, and of letters; they live as long as the renderer.
@WindowActor final class Sprites {
    private let renderer: OpaquePointer
    private var textures: [Sprite: OpaquePointer] = [:]

    init(renderer: OpaquePointer) {
        self.renderer = renderer
    }

    /// The sprite in white, made once.
    func texture(of sprite: Sprite) -> OpaquePointer? {
        if let texture = textures[sprite] { return texture }
        let side = sprite.side
        let texture = makeTexture(of: sprite.coverage(), width: side, height: side)
        textures[sprite] = texture
        return texture
    }

    /// Whether it is time to forget: the sizes of a window resized again and again add up.
    var isFull: Bool { textures.count >= 256 }

    /// Called while nothing that was drawn is to be shown any more.
    func forget() {
        for texture in textures.values { SDL_DestroyTexture(texture) }
        textures = [:]
    }

    /// A white picture of the opacities.
    func makeTexture(of coverage: some Collection<UInt8>, width: Int, height: Int) -> OpaquePointer? {
        guard
            let texture = SDL_CreateTexture(
                renderer,
                SDL_PIXELFORMAT_ARGB8888.rawValue,
                Int32(SDL_TEXTUREACCESS_STATIC.rawValue),
                Int32(width),
                Int32(height)
            )
        else { return nil }
        let pixels = coverage.map { UInt32($0) << 24 | 0xFF_FFFF }
        SDL_UpdateTexture(texture, nil, pixels, Int32(width * 4))
        SDL_SetTextureBlendMode(texture, SDL_BLENDMODE_BLEND)
        return texture
    }
}
