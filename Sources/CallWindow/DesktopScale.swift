internal import CSDL

/// How large an X desktop wants everything to be, which SDL does not ask.
enum DesktopScale {
    private typealias Open = @convention(c) (UnsafePointer<CChar>?) -> OpaquePointer?
    private typealias Resources = @convention(c) (OpaquePointer) -> UnsafePointer<CChar>?
    private typealias Close = @convention(c) (OpaquePointer) -> Int32

    /// 1…4, in quarters; 1 where SDL speaks to no X server, or the desktop says nothing.
    @WindowActor static func current() -> Double {
        guard SDL_GetCurrentVideoDriver().map({ String(cString: $0) }) == "x11",
            let library = SDL_LoadObject("libX11.so.6"),
            let open = SDL_LoadFunction(library, "XOpenDisplay"),
            let resources = SDL_LoadFunction(library, "XResourceManagerString"),
            let close = SDL_LoadFunction(library, "XCloseDisplay")
        else { return 1 }
        // As Xlib.h declares them.
        guard let display = unsafeBitCast(open, to: Open.self)(nil) else { return 1 }
        defer { _ = unsafeBitCast(close, to: Close.self)(display) }  // int XCloseDisplay(Display *)
        // char *XResourceManagerString(Display *), which the display owns
        return unsafeBitCast(resources, to: Resources.self)(display).map { of(String(cString: $0)) } ?? 1
    }

    /// What `Xft.dpi` says among the resources, a line each, as a multiple of the usual 96.
    static func of(_ resources: String) -> Double {
        let line = resources.split(separator: "\n").last { $0.hasPrefix("Xft.dpi:") }
        let value = line?.dropFirst(8).filter { !$0.isWhitespace }
        guard let dots = value.flatMap({ Double($0) }), dots.isFinite, dots > 0 else { return 1 }
        return min(max((dots / 96 * 4).rounded() / 4, 1), 4)
    }
}
