package import Basics
internal import CSDL

/// The last frame of a video.
///
/// A software renderer receives pixels in their displayed size if `FrameScaler` can convert the frame; in all
/// other cases, the renderer receives a texture.
@WindowActor package final class VideoTexture {
    private let canvas: Canvas
    private let scaler = FrameScaler()
    private var frame: SizedFrame?
    private var kind: Kind?
    private var texture: OpaquePointer?
    /// Whether the texture contains the current frame.
    private var isUploaded = false
    /// The number of frames that were scaled only when they were drawn, not on arrival.
    private(set) var lateScalings = 0

    private struct Kind: Equatable {
        var format: VideoFrame.Format
        var size: Resolution
    }

    /// The frame's size, converted to square pixels; nil without a frame.
    package var size: Resolution? { frame?.original.shape }
    package var width: Int { size?.width ?? 0 }
    package var height: Int { size?.height ?? 0 }

    package init(canvas: Canvas) {
        self.canvas = canvas
    }

    /// Replaces the previous frame; returns false if the renderer cannot store the new one.
    package func setFrame(_ new: SizedFrame) -> Bool {
        if canvas.isSoftware, scaler.converts(new.original) {
            isUploaded = false
        } else {
            guard upload(new.pixels ?? new.original) else { return false }
        }
        frame = new
        return true
    }

    package func clear() {
        forgetTexture()
        frame = nil
    }

    /// Draws the frame with rounded corners.
    package func draw(in rect: Rect, radius: Int = 0) {
        guard let frame else { return }
        if let pixels = pixels(in: rect), canvas.copy(pixels, to: rect, radius: radius) { return }
        guard isUploaded || upload(frame.pixels ?? frame.original), let texture else { return }
        guard kind?.format == .i420 else { return canvas.draw(texture, in: rect, radius: radius) }
        // The renderer reads the mode only when it executes the drawing commands.
        SDL_SetYUVConversionMode(frame.original.colors.mode)
        canvas.draw(texture, in: rect, radius: radius)
        SDL_RenderFlush(canvas.renderer)
    }

    /// Returns the frame's pixels in the size of the rectangle, scaled if necessary; nil if a texture must be
    /// used.
    private func pixels(in rect: Rect) -> VideoFrame? {
        guard canvas.isSoftware, let frame else { return nil }
        let size = Resolution(width: rect.width, height: rect.height)
        if let pixels = frame.pixels, pixels.size == size { return pixels }
        guard let pixels = scaler.pixels(of: frame.original, in: size) else { return nil }
        lateScalings += 1
        self.frame?.pixels = pixels
        return pixels
    }

    private func upload(_ frame: VideoFrame) -> Bool {
        let kind = Kind(format: frame.format, size: frame.size)
        if texture == nil || self.kind != kind {
            guard makeTexture(kind) else { return false }
        }
        isUploaded = frame.withPlanes { planes in
            let strides = planes.map { Int32($0.stride) }
            if frame.format == .bgrx {
                return SDL_UpdateTexture(texture, nil, planes[0].bytes.baseAddress, strides[0]) == 0
            }
            SDL_SetYUVConversionMode(frame.colors.mode)  // software renderers read the mode in the next call
            let (y, u, v) = (planes[0].start, planes[1].start, planes[2].start)
            return SDL_UpdateYUVTexture(texture, nil, y, strides[0], u, strides[1], v, strides[2]) == 0
        }
        return isUploaded
    }

    private func makeTexture(_ kind: Kind) -> Bool {
        let format = kind.format == .bgrx ? SDL_PIXELFORMAT_RGB888 : SDL_PIXELFORMAT_IYUV
        guard
            let new = SDL_CreateTexture(
                canvas.renderer,
                format.rawValue,
                Int32(SDL_TEXTUREACCESS_STREAMING.rawValue),
                Int32(kind.size.width),
                Int32(kind.size.height)
            )
        else { return false }
        SDL_SetTextureScaleMode(new, SDL_ScaleModeLinear)
        forgetTexture()
        (texture, self.kind) = (new, kind)
        return true
    }

    private func forgetTexture() {
        if let texture { SDL_DestroyTexture(texture) }
        (texture, kind, isUploaded) = (nil, nil, false)
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
