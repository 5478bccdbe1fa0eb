internal import Glibc

/// The libnice that GStreamer has loaded, whose headers it does not bring.
enum LibNice {
    /// The address of a function of its; nil where none is loaded, or another one.
    static func function(_ name: String) -> UnsafeMutableRawPointer? {
        dlopen("libnice.so.10", RTLD_LAZY | RTLD_NOLOAD).flatMap { dlsym($0, name) }
    }
}
