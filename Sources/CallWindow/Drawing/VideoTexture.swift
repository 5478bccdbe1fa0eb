internal import CSDL
internal import CallCore

/// The texture with the last video frame of one side of the call.
@WindowActor final class VideoTexture {
    private let renderer: OpaquePointer
    private var kind: Kind?
    private(set) var texture: OpaquePointer?
    /// The frame's size in square pixels; nil without a frame.
    private(set) var size: Resolution?

    private struct Kind: Equatable {
        var format: VideoFrame.Format
        var size: Resolution
    }

    var width: Int { size?.width ?? 0 }
    var height: Int { size?.height ?? 0 }

    init(renderer: OpaquePointer) {
        self.renderer = renderer
    }

    /// Uploads a frame in place of the previous one; false if the renderer cannot hold it.
    func take(_ frame: VideoFrame) -> Bool {
        let kind = Kind(format: frame.format, size: frame.size)
        if texture == nil || self.kind != kind {
            guard makeTexture(kind) else { return false }
        }
        guard upload(frame) else { return false }
        size = frame.shape
        return true
    }

    private func upload(_ frame: VideoFrame) -> Bool {
        frame.withPlanes { planes in
            let strides = planes.map { Int32($0.stride) }
            if frame.format == .bgrx {
                return SDL_UpdateTexture(texture, nil, planes[0].bytes.baseAddress, strides[0]) == 0
            }
            // SDL reads this mode when it converts: here in software, otherwise when it draws. Only remote
            // frames are YUV.
            SDL_SetYUVConversionMode(frame.colors.mode)
            let (y, u, v) = (planes[0].start, planes[1].start, planes[2].start)
            return SDL_UpdateYUVTexture(texture, nil, y, strides[0], u, strides[1], v, strides[2]) == 0
        }
    }

    func clear() {
        if let texture { SDL_DestroyTexture(texture) }
        (texture, kind, size) = (nil, nil, nil)
    }

    private func makeTexture(_ kind: Kind) -> Bool {
        let format = kind.format == .bgrx ? SDL_PIXELFORMAT_RGB888 : SDL_PIXELFORMAT_IYUV
        guard
            let new = SDL_CreateTexture(
                renderer,
                format.rawValue,
                Int32(SDL_TEXTUREACCESS_STREAMING.rawValue),
                Int32(kind.size.width),
                Int32(kind.size.height)
            )
        else { return false }
        SDL_SetTextureScaleMode(new, SDL_ScaleModeLinear)
        clear()
        (texture, self.kind) = (new, kind)
        return true
    }
}

extension VideoFrame.Plane {
    fileprivate var start: UnsafePointer<UInt8>? { bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

extension VideoFrame.Colors {
    fileprivate var mode: SDL_YUV_CONVERSION_MODE {
        switch self {
        case .bt601: SDL_YUV_CONVERSION_BT601
        case .bt709: SDL_YUV_CONVERSION_BT709
        case .full: SDL_YUV_CONVERSION_JPEG
        }
    }
}
