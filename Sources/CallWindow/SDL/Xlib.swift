internal import CSDL

/// Functions of the library by which SDL speaks to an X server, which SDL loads by itself and we link no more than it.
enum Xlib {
    /// Neither SDL nor we let it go.
    private static let library = Library(handle: SDL_LoadObject("libX11.so.6"))

    private struct Library: @unchecked Sendable {  // dlsym may be called on any thread
        let handle: UnsafeMutableRawPointer?
    }

    /// Nil where there is no such library, or it is too old to have that; `Function` is as Xlib.h declares it.
    static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        guard let handle = library.handle, let address = SDL_LoadFunction(handle, name) else { return nil }
        return unsafeBitCast(address, to: type)  // dlsym tells no types
    }

    /// Whether SDL speaks to an X server.
    static var isInUse: Bool { SDL_GetCurrentVideoDriver().map { String(cString: $0) } == "x11" }
}
