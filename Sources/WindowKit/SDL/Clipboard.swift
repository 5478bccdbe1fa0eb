internal import CSDL

/// The clipboard of the desktop; used on the window's thread.
package enum Clipboard {
    /// The maximum number of bytes that are read; no field holds more.
    private static let limit = 1 << 20

    package static var text: String {
        get {
            guard let text = SDL_GetClipboardText() else { return "" }
            defer { SDL_free(text) }
            let bytes = UnsafeRawBufferPointer(start: text, count: min(SDL_strlen(text), Self.limit))
            return String(decoding: bytes, as: UTF8.self)
        }
        set { SDL_SetClipboardText(newValue) }
    }
}
