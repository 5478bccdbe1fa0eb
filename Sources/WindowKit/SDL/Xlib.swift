internal import CSDL

/// The functions of libX11, which SDL loads at run time, so that neither SDL nor this module links it.
enum Xlib {
    /// The library, which is never unloaded.
    private static let library = Library(handle: SDL_LoadObject("libX11.so.6"))

    private struct Library: @unchecked Sendable {  // dlsym may be called on any thread
        let handle: UnsafeMutableRawPointer?
    }

    /// Looks up a function with its type from Xlib.h; nil if the library is missing or too old to have it.
    static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        guard let handle = library.handle, let address = SDL_LoadFunction(handle, name) else { return nil }
        return unsafeBitCast(address, to: type)  // the result of dlsym has no type
    }

    /// Whether SDL uses an X server.
    static var isInUse: Bool { SDL_GetCurrentVideoDriver().map { String(cString: $0) } == "x11" }
}
