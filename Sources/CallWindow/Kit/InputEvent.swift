/// A single action of the user with pointer or keyboard; positions are in points.
enum InputEvent: Hashable, Sendable {
    case move(Point)
    case leave
    case press(Point)
    case release(Point)
    /// A rotation of the mouse wheel in lines; positive values scroll up.
    case wheel(Double)
    case text(String)
    case key(InputKey)
    /// Input that is handled elsewhere but counts as user activity.
    case other
}

/// A key of the keyboard, named by its function.
enum InputKey: Hashable, Sendable {
    case tab(isBackwards: Bool)
    case enter, space, escape, up, down
    /// An editing key of a text field, identified by `CIG_KEY_…`.
    case edit(Int32, ctrl: Bool, shift: Bool)
}
