internal import CSDL

/// The textures of sprites, which are valid as long as the renderer exists.
@WindowActor package final class Sprites {
    let renderer: OpaquePointer
    private var textures: [Sprite: OpaquePointer] = [:]

    init(renderer: OpaquePointer) {
        self.renderer = renderer
    }

    /// Returns the white texture of a sprite, which the first call creates; nil if the renderer cannot create
    /// it.
    func texture(of sprite: Sprite) -> OpaquePointer? {
        if let texture = textures[sprite] { return texture }
        let side = sprite.side
        let texture = makeTexture(of: sprite.coverage(), width: side, height: side)
        textures[sprite] = texture
        return texture
    }

    /// Whether the number of textures has reached the limit at which all should be destroyed; resizing a
    /// window adds textures of new sizes.
    package var isFull: Bool { textures.count >= 256 }

    /// Destroys all textures; to be called when no frame drawn so far will be rendered again.
    package func forget() {
        for texture in textures.values { SDL_DestroyTexture(texture) }
        textures = [:]
    }

    /// Creates a white texture with these opacities; nil if the renderer cannot create it.
    private func makeTexture(of coverage: some Collection<UInt8>, width: Int, height: Int) -> OpaquePointer? {
        let pixels = coverage.map { UInt32($0) << 24 | 0xFF_FFFF }
        return Self.makeTexture(pixels, width: width, height: height, on: renderer)
    }

    /// Creates a texture of pixels as `0xAARRGGBB`; nil if the renderer cannot create it.
    nonisolated static func makeTexture(
        _ pixels: [UInt32],
        width: Int,
        height: Int,
        on renderer: OpaquePointer
    ) -> OpaquePointer? {
        guard
            let texture = SDL_CreateTexture(
                renderer,
                SDL_PIXELFORMAT_ARGB8888.rawValue,
                Int32(SDL_TEXTUREACCESS_STATIC.rawValue),
                Int32(width),
                Int32(height)
            )
        else { return nil }
        SDL_UpdateTexture(texture, nil, pixels, Int32(width * 4))
        SDL_SetTextureBlendMode(texture, SDL_BLENDMODE_BLEND)
        return texture
    }
}
