internal import CSDL

/// The last picture of one side of the call, where the renderer keeps it.
@WindowActor final class PictureTexture {
    private let renderer: OpaquePointer
    private var buffer = PictureBuffer()
    private(set) var texture: OpaquePointer?
    private(set) var width = 0
    private(set) var height = 0

    /// Of the picture, if there is one.
    var size: CallPictures.Size? { texture.map { _ in CallPictures.Size(width: width, height: height) } }

    init(renderer: OpaquePointer) {
        self.renderer = renderer
    }

    /// Fetches and uploads the newest picture; false if there is none, or the renderer cannot hold it.
    func update(with fetch: (inout PictureBuffer) -> Bool) -> Bool {
        guard fetch(&buffer) else { return false }
        if texture == nil || width != buffer.width || height != buffer.height {
            guard makeTexture() else { return false }
        }
        return buffer.withPlanes { y, u, v in
            SDL_UpdateYUVTexture(
                texture,
                nil,
                y.baseAddress,
                Int32(buffer.width),
                u.baseAddress,
                Int32(buffer.chromaWidth),
                v.baseAddress,
                Int32(buffer.chromaWidth)
            ) == 0
        }
    }

    func clear() {
        if let texture { SDL_DestroyTexture(texture) }
        texture = nil
    }

    private func makeTexture() -> Bool {
        guard
            let new = SDL_CreateTexture(
                renderer,
                SDL_PIXELFORMAT_IYUV.rawValue,
                Int32(SDL_TEXTUREACCESS_STREAMING.rawValue),
                Int32(buffer.width),
                Int32(buffer.height)
            )
        else { return false }
        SDL_SetTextureScaleMode(new, SDL_ScaleModeLinear)
        clear()
        (texture, width, height) = (new, buffer.width, buffer.height)
        return true
    }
}
