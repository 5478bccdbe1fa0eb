package import CSDL

extension InputEvent {
    /// Converts an SDL event; nil if the interface does not use it.
    ///
    /// `zoom` is the number of SDL's units per point.
    package init?(_ event: SDL_Event, zoom: Double) {
        func place(_ x: Int32, _ y: Int32) -> Point { Point(Double(x) / zoom, Double(y) / zoom) }
        switch SDL_EventType(rawValue: event.type) {
        case SDL_MOUSEMOTION: self = .move(place(event.motion.x, event.motion.y))
        case SDL_MOUSEBUTTONDOWN where Int32(event.button.button) == SDL_BUTTON_LEFT:
            self = .press(place(event.button.x, event.button.y))
        case SDL_MOUSEBUTTONUP where Int32(event.button.button) == SDL_BUTTON_LEFT:
            self = .release(place(event.button.x, event.button.y))
        case SDL_MOUSEWHEEL: self = .wheel(Double(event.wheel.preciseY))
        case SDL_TEXTINPUT:
            let letters = withUnsafeBytes(of: event.text.text) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            self = .text(letters)
        case SDL_TEXTEDITING:
            let letters = withUnsafeBytes(of: event.edit.text) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            let start = max(0, Int(event.edit.start))
            self = .marked(letters, selection: start..<start + max(0, Int(event.edit.length)))
        case SDL_KEYDOWN:
            guard let key = InputKey(event.key.keysym) else { return nil }
            self = .key(key)
        default: return nil
        }
    }
}

extension InputKey {
    /// Converts a key; nil if the interface does not use it, or if Alt or Super is held.
    init?(_ key: SDL_Keysym) {
        let modifiers = UInt32(key.mod)
        guard modifiers & (KMOD_ALT.rawValue | KMOD_GUI.rawValue) == 0 else { return nil }
        let ctrl = modifiers & KMOD_CTRL.rawValue != 0
        let shift = modifiers & KMOD_SHIFT.rawValue != 0
        func edit(_ key: EditKey) -> InputKey { .edit(key, ctrl: ctrl, shift: shift) }
        switch SDL_KeyCode(rawValue: UInt32(bitPattern: key.sym)) {
        case SDLK_TAB where !ctrl: self = .tab(isBackwards: shift)
        case SDLK_RETURN, SDLK_KP_ENTER: self = shift ? .lineBreak : .enter
        case SDLK_SPACE: self = .space
        case SDLK_ESCAPE: self = .escape
        case SDLK_UP: self = .up
        case SDLK_DOWN: self = .down
        case SDLK_PAGEUP: self = .pageUp
        case SDLK_PAGEDOWN: self = .pageDown
        case SDLK_LEFT: self = edit(.left)
        case SDLK_RIGHT: self = edit(.right)
        case SDLK_HOME: self = edit(.home)
        case SDLK_END: self = edit(.end)
        case SDLK_DELETE: self = edit(.delete)
        case SDLK_BACKSPACE: self = edit(.backspace)
        default:
            guard ctrl, let letter = Self.shortcuts[key.scancode.rawValue] else { return nil }
            self = edit(letter)
        }
    }

    /// The editing shortcuts by key position, because not every keyboard layout has Latin letters.
    private static let shortcuts: [UInt32: EditKey] = [
        SDL_SCANCODE_A.rawValue: .a, SDL_SCANCODE_C.rawValue: .c, SDL_SCANCODE_V.rawValue: .v,
        SDL_SCANCODE_X.rawValue: .x, SDL_SCANCODE_Y.rawValue: .y, SDL_SCANCODE_Z.rawValue: .z,
    ]
}
