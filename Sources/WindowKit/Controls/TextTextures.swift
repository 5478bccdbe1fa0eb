internal import CSDL

extension Sprites {
    /// The maximum memory of the textures of texts in bytes.
    private static let textMemory = 24 << 20

    /// Creates the cache of the texts that are drawn with this renderer.
    func makeTextCache(_ typesetter: Typesetter) -> TextCache<OpaquePointer> {
        let renderer = renderer
        return TextCache(
            typesetter,
            limit: Self.textMemory,
            make: { Self.makeTexture(of: $0, on: renderer) },
            release: { SDL_DestroyTexture($0) }
        )
    }

    /// Creates a texture of a rendered text; nil if the renderer cannot create one of that size.
    private nonisolated static func makeTexture(
        of image: TextImage,
        on renderer: OpaquePointer
    ) -> OpaquePointer? {
        let isColorful = image.isColorful
        let pixels = image.pixels.map { pixel -> UInt32 in
            let alpha = pixel >> 24
            guard isColorful, alpha > 0 else { return alpha << 24 | 0xFF_FFFF }
            let parts = [16, 8, 0].map { min(255, ((pixel >> $0 & 0xFF) * 255 + alpha / 2) / alpha) << $0 }
            return alpha << 24 | parts[0] | parts[1] | parts[2]
        }
        return makeTexture(pixels, width: image.width, height: image.height, on: renderer)
    }
}
