internal import CSDL
internal import CallCore

/// The last picture of one side of the call, and its copy where the renderer keeps it.
@WindowActor final class PictureTexture {
    private let renderer: OpaquePointer
    /// Not yet where the renderer keeps it.
    private var frame: VideoFrame?
    private var copy: OpaquePointer?
    private var kind: Kind?
    /// Nil where there is no picture.
    private(set) var size: PictureSize?

    var width: Int { size?.width ?? 0 }
    var height: Int { size?.height ?? 0 }

    private struct Kind: Equatable {
        var format: VideoFrame.Format
        var size: PictureSize
    }

    init(renderer: OpaquePointer) {
        self.renderer = renderer
    }

    /// Takes the place of the picture before.
    func take(_ frame: VideoFrame) { (self.frame, size) = (frame, frame.size) }

    /// The picture as the renderer draws it, in any size; nil where there is none, or the renderer cannot hold it.
    func texture() -> OpaquePointer? {
        guard size != nil else { return nil }
        guard let frame else { return copy }
        let kind = Kind(format: frame.format, size: frame.size)
        if copy == nil || self.kind != kind {
            guard makeTexture(kind) else { return nil }
        }
        guard upload(frame) else { return nil }
        self.frame = nil
        return copy
    }

    private func upload(_ frame: VideoFrame) -> Bool {
        frame.withPlanes { planes in
            let strides = planes.map { Int32($0.stride) }
            if frame.format == .bgrx {
                return SDL_UpdateTexture(copy, nil, planes[0].bytes.baseAddress, strides[0]) == 0
            }
            let (y, u, v) = (planes[0].start, planes[1].start, planes[2].start)
            return SDL_UpdateYUVTexture(copy, nil, y, strides[0], u, strides[1], v, strides[2]) == 0
        }
    }

    func clear() {
        (frame, size, kind) = (nil, nil, nil)
        if let copy { SDL_DestroyTexture(copy) }
        copy = nil
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
        if let copy { SDL_DestroyTexture(copy) }
        (copy, self.kind) = (new, kind)
        return true
    }
}

extension VideoFrame.Plane {
    fileprivate var start: UnsafePointer<UInt8>? { bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) }
}
