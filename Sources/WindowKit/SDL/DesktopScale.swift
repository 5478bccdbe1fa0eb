internal import CSDL

/// The scale factor of an X11 desktop, which SDL does not query.
enum DesktopScale {
    private typealias Open = @convention(c) (UnsafePointer<CChar>?) -> OpaquePointer?
    private typealias Resources = @convention(c) (OpaquePointer) -> UnsafePointer<CChar>?
    private typealias Close = @convention(c) (OpaquePointer) -> Int32

    /// Reads the factor, 1…4 in steps of a quarter; 1 if SDL does not use X11 or the desktop sets none.
    @WindowActor static func current() -> Double {
        guard Xlib.isInUse, let open = Xlib.function("XOpenDisplay", as: Open.self),
            let resources = Xlib.function("XResourceManagerString", as: Resources.self),
            let close = Xlib.function("XCloseDisplay", as: Close.self), let display = open(nil)
        else { return 1 }
        defer { _ = close(display) }
        return resources(display).map { of(String(cString: $0)) } ?? 1  // the display owns the string
    }

    /// Parses `Xft.dpi` from X resources, one per line, and divides it by the default of 96 dpi.
    static func of(_ resources: String) -> Double {
        let line = resources.split(separator: "\n").last { $0.hasPrefix("Xft.dpi:") }
        let value = line?.dropFirst(8).filter { !$0.isWhitespace }
        guard let dots = value.flatMap({ Double($0) }), dots.isFinite, dots > 0 else { return 1 }
        return min(max((dots / 96 * 4).rounded() / 4, 1), 4)
    }
}
