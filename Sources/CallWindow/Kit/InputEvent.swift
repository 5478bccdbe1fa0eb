/// What the user does with pointer and keyboard, one at a time; places in points.
enum InputEvent: Hashable, Sendable {
    case move(Point)
    case leave
    case press(Point)
    case release(Point)
    /// Lines up.
    case wheel(Double)
    case text(String)
    case key(InputKey)
    /// Something that is dealt with elsewhere: somebody is there.
    case other
}

/// A key by what it is for.
enum InputKey: Hashable, Sendable {
    case tab(isBackwards: Bool)
    case enter, space, escape, up, down
    /// A key of a text field: `CIG_KEY_…`.
    case edit(Int32, ctrl: Bool, shift: Bool)
}
