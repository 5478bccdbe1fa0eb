internal import AppFlow
internal import CSDL

/// A key that the window or the shown screen may use as a shortcut.
enum WindowKey: Hashable, Sendable {
    case fullScreen
    case shortcut(Shortcut)

    /// Identifies a pressed key; nil if it is not a shortcut, or if Ctrl, Alt or Super is held.
    init?(_ key: SDL_Keysym) {
        let desktopModifiers = KMOD_CTRL.rawValue | KMOD_ALT.rawValue | KMOD_GUI.rawValue
        guard UInt32(key.mod) & desktopModifiers == 0 else { return nil }
        switch Self.letter(of: key) {
        case SDLK_q: self = .shortcut(.q)
        case SDLK_ESCAPE: self = .shortcut(.escape)
        case SDLK_m: self = .shortcut(.m)
        case SDLK_v: self = .shortcut(.v)
        case SDLK_p: self = .shortcut(.p)
        case SDLK_f: self = .fullScreen
        case SDLK_PLUS, SDLK_EQUALS, SDLK_KP_PLUS: self = .shortcut(.plus)
        case SDLK_MINUS, SDLK_KP_MINUS: self = .shortcut(.minus)
        default: return nil
        }
    }

    /// Returns the key code, based on the key's position if the keyboard layout has no Latin letters.
    private static func letter(of key: SDL_Keysym) -> SDL_KeyCode {
        let code = SDL_KeyCode(rawValue: UInt32(bitPattern: key.sym))
        guard code.rawValue > 0x7F else { return code }
        return switch key.scancode {
        case SDL_SCANCODE_Q: SDLK_q
        case SDL_SCANCODE_M: SDLK_m
        case SDL_SCANCODE_V: SDLK_v
        case SDL_SCANCODE_P: SDLK_p
        case SDL_SCANCODE_F: SDLK_f
        default: code
        }
    }
}
