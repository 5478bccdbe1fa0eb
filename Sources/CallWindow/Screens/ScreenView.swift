internal import AppFlow
internal import WindowKit

/// A view that draws one screen and stores only presentation state.
@WindowActor protocol ScreenView: AnyObject {
    /// Draws the screen, and sends the user's actions to its view model.
    func draw(_ ui: Interface)

    /// Draws the sheets above the screen and the bar, and handles the keys that no control has used.
    func drawSheets(_ ui: Interface)

    /// Returns the title of the window while the screen is shown.
    func title(_ strings: Strings) -> WindowTitle

    /// Passes the current sizes and state of the call's video to the screen.
    func show(_ video: CallVideo)

    /// Whether the call's video is drawn below the controls.
    var showsVideo: Bool { get }

    /// Whether something else is shown in place of the remote video.
    var hidesRemote: Bool { get }

    /// Whether the local video is shown; false while the camera is off.
    var isCameraOn: Bool { get }

    /// The time at which the screen changes without an event, in seconds of `Motion.time`; nil for never.
    var changesAt: Double? { get }

    /// The rectangle of the local video, in points; nil if it is not shown.
    var localTile: Box? { get }

    /// Whether the pointer is drawn.
    var showsPointer: Bool { get }

    /// Checks whether a key that no control uses has an effect now.
    func accepts(_ key: Shortcut) -> Bool

    /// Handles a key for which `accepts(_:)` is true.
    func press(_ key: Shortcut)
}

extension ScreenView {
    func show(_ video: CallVideo) {}
    var showsVideo: Bool { false }
    var hidesRemote: Bool { false }
    var isCameraOn: Bool { true }
    var changesAt: Double? { nil }
    var localTile: Box? { nil }
    var showsPointer: Bool { true }
    func drawSheets(_ ui: Interface) {}
    func accepts(_ key: Shortcut) -> Bool { false }
    func press(_ key: Shortcut) {}
}
