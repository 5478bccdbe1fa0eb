internal import Glibc

/// The libnice library that GStreamer has loaded, accessed without its headers.
enum LibNice {
    /// Looks up a function of libnice; nil unless libnice.so.10 is loaded and exports it.
    static func function(_ name: String) -> UnsafeMutableRawPointer? {
        dlopen("libnice.so.10", RTLD_LAZY | RTLD_NOLOAD).flatMap { dlsym($0, name) }
    }
}
