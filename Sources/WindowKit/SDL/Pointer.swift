internal import CSDL

/// The state of the mouse cursor and of text input; only changes are passed to SDL.
@WindowActor package final class Pointer {
    private var textCursor: OpaquePointer?
    private var isText = false
    private var isShown = true
    private var typedInto: SDL_Rect?

    package init() {}

    package func show(_ shows: Bool, asText: Bool) {
        if shows != isShown {
            isShown = shows
            SDL_ShowCursor(shows ? SDL_ENABLE : SDL_DISABLE)
        }
        guard asText != isText else { return }
        isText = asText
        if asText, textCursor == nil { textCursor = SDL_CreateSystemCursor(SDL_SYSTEM_CURSOR_IBEAM) }
        SDL_SetCursor(asText ? textCursor : SDL_GetDefaultCursor())
    }

    /// Starts text input and sets the rectangle in which the text appears; nil stops text input.
    package func enter(into place: Rect?) {
        let rect = place.map { SDL_Rect($0) }
        guard rect?.x != typedInto?.x || rect?.y != typedInto?.y || rect?.w != typedInto?.w else { return }
        if var rect {
            if typedInto == nil { SDL_StartTextInput() }
            SDL_SetTextInputRect(&rect)
        } else {
            SDL_StopTextInput()
        }
        typedInto = rect
    }

    package func close() {
        if typedInto != nil { SDL_StopTextInput() }
        if let textCursor { SDL_FreeCursor(textCursor) }
        // SDL shows or hides the pointer for all windows together.
        if !isShown { SDL_ShowCursor(SDL_ENABLE) }
        (textCursor, typedInto, isShown) = (nil, nil, true)
    }
}
