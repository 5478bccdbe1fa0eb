/// A single action of the user with pointer or keyboard; positions are in points.
package enum InputEvent: Hashable, Sendable {
    case move(Point)
    case leave
    case press(Point)
    case release(Point)
    /// A rotation of the mouse wheel in lines; positive values scroll up.
    case wheel(Double)
    case text(String)
    /// Text that an input method composes, and its caret or selection, in Unicode scalars.
    case marked(String, selection: Range<Int>)
    case key(InputKey)
    /// Input that is handled elsewhere but counts as user activity.
    case other
}

/// A key of the keyboard, named by its function.
package enum InputKey: Hashable, Sendable {
    case tab(isBackwards: Bool)
    /// Shift+Return, which inserts a line break into a multi-line field.
    case lineBreak
    case enter, space, escape, up, down, pageUp, pageDown
    case edit(EditKey, ctrl: Bool, shift: Bool)
}

/// An editing key of a text field; a letter stands for the key pressed together with Ctrl.
package enum EditKey: Hashable, Sendable {
    case left, right, home, end, delete, backspace
    case a, c, v, x, y, z
}
