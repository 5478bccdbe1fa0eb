internal import CallFlow

/// One screen's drawing; what it keeps is only how it looks.
@WindowActor protocol ScreenView: AnyObject {
    /// Draws the screen, and sends what the user does to its view model.
    func draw(_ ui: Interface)

    /// Whether the call's pictures lie below.
    var showsPictures: Bool { get }

    /// Whether something else stands in place of the peer's picture.
    var hidesRemote: Bool { get }

    /// When it looks otherwise though nothing happens: seconds of the clock that the frames are drawn by.
    var changesAt: Double? { get }

    /// Where the local picture is, in points; none where it is not shown.
    var localTile: Box? { get }

    /// Whether the pointer is drawn.
    var showsPointer: Bool { get }

    /// Whether a key that does something in a call does it now.
    func accepts(_ command: WindowCommand) -> Bool

    /// Does what a key asks for; false where that is the window's to tell.
    func perform(_ command: WindowCommand) -> Bool
}

extension ScreenView {
    var showsPictures: Bool { false }
    var hidesRemote: Bool { false }
    var changesAt: Double? { nil }
    var localTile: Box? { nil }
    var showsPointer: Bool { true }
    func perform(_ command: WindowCommand) -> Bool { false }
}
