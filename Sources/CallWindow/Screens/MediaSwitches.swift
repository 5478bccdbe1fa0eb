internal import AppFlow
internal import WindowKit

/// The buttons that mute the microphone and turn off the camera while no call is shown.
@WindowActor struct MediaSwitches {
    /// The diameter of a button, in points.
    static let side = 44.0
    /// The width of both buttons, in points.
    static let width = 2 * side + Space.medium

    let controls: CallControls

    /// Describes the state of microphone and camera.
    func text(_ strings: Strings) -> String {
        switch (controls.isMuted, controls.isCameraOff) {
        case (false, false): strings["room.media"]
        case (true, false): strings["room.media.muted"]
        case (false, true): strings["room.media.camera-off"]
        case (true, true): strings["room.media.off"]
        }
    }

    /// Draws both buttons in the middle of `box`; a press calls `press` with the equivalent key.
    ///
    /// Their control IDs begin with `prefix`. Their tooltips name the keys if `hasKeys`.
    func draw(
        _ ui: Interface,
        _ prefix: String,
        in box: Box,
        hasKeys: Bool,
        _ press: (Shortcut) -> Void
    ) {
        var row = Box(center: box.center, width: Self.width, height: Self.side)
        for control in MediaSwitch.allCases {
            let isOff = control.isOff(controls)
            let isPressed = ui.iconButton(
                ControlID("\(prefix).\(control)"),
                control.glyph(controls),
                control.name(controls, ui.strings, hasKey: hasKeys),
                center: row.takeLeft(Self.side, gap: Space.medium).center,
                diameter: Self.side,
                fill: isOff ? ui.theme.text : ui.theme.field,
                ink: isOff ? ui.theme.surface : ui.theme.text
            )
            if isPressed { press(control.key) }
        }
    }
}
