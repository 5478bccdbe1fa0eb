internal import CSDL

/// The functions of libswscale that convert and scale frames in one pass, with their types from swscale.h.
///
/// The library is loaded when the first frame is scaled, so that a process without a window never loads it.
/// The Debian package gstreamer1.0-libav depends on it.
struct SwScale: Sendable {
    /// The C type `SwsContext *`.
    typealias Context = OpaquePointer
    typealias Format = @Sendable @convention(c) (UnsafePointer<CChar>) -> Int32
    typealias MakeContext =
        @Sendable @convention(c) (
            Int32, Int32, Int32, Int32, Int32, Int32, Int32, UnsafeRawPointer?, UnsafeRawPointer?,
            UnsafeRawPointer?
        ) -> Context?
    typealias FreeContext = @Sendable @convention(c) (Context?) -> Void
    typealias Coefficients = @Sendable @convention(c) (Int32) -> UnsafePointer<Int32>?
    typealias SetColors =
        @Sendable @convention(c) (
            Context, UnsafePointer<Int32>?, Int32, UnsafePointer<Int32>?, Int32, Int32, Int32, Int32
        ) -> Int32
    typealias Scale =
        @Sendable @convention(c) (
            Context, UnsafePointer<UnsafePointer<UInt8>?>, UnsafePointer<Int32>, Int32, Int32,
            UnsafePointer<UnsafeMutablePointer<UInt8>?>, UnsafePointer<Int32>
        ) -> Int32
    private typealias SetLogLevel = @convention(c) (Int32) -> Void

    /// The scaling flags `SWS_FAST_BILINEAR` and `SWS_AREA`.
    static let (fastBilinear, area): (Int32, Int32) = (0x1, 0x20)
    /// The color spaces `SWS_CS_ITU709` and `SWS_CS_ITU601`.
    static let (bt709, bt601): (Int32, Int32) = (1, 5)

    let makeContext: MakeContext
    let freeContext: FreeContext
    let coefficients: Coefficients
    let setColors: SetColors
    let scale: Scale
    /// The pixel formats `AV_PIX_FMT_YUV420P` and `AV_PIX_FMT_BGR0`, whose values depend on the library's
    /// version.
    let i420: Int32
    let bgrx: Int32

    /// The library; nil if no supported version is installed.
    static let shared = SwScale()

    private init?() {
        // The functions have the same signatures in all versions in Debian since 2023. The library is never
        // unloaded.
        let handle = (6...9).lazy.compactMap { SDL_LoadObject("libswscale.so.\($0)") }.first
        func function<Function>(_ name: String, as type: Function.Type) -> Function? {
            // dlsym also finds the functions of libavutil, on which libswscale depends. Its result has no
            // type.
            SDL_LoadFunction(handle, name).map { unsafeBitCast($0, to: type) }
        }
        guard handle != nil,
            let makeContext = function("sws_getContext", as: MakeContext.self),
            let freeContext = function("sws_freeContext", as: FreeContext.self),
            let coefficients = function("sws_getCoefficients", as: Coefficients.self),
            let setColors = function("sws_setColorspaceDetails", as: SetColors.self),
            let scale = function("sws_scale", as: Scale.self),
            let format = function("av_get_pix_fmt", as: Format.self)
        else { return nil }
        (self.makeContext, self.freeContext, self.coefficients) = (makeContext, freeContext, coefficients)
        (self.setColors, self.scale) = (setColors, scale)
        (i420, bgrx) = (format("yuv420p"), format("bgr0"))
        guard i420 >= 0, bgrx >= 0 else { return nil }
        // AV_LOG_QUIET: otherwise the library prints warnings about slow sizes on stderr. GStreamer's own log
        // handler ignores this level.
        function("av_log_set_level", as: SetLogLevel.self)?(-8)
    }
}
