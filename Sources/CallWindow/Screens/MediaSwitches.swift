internal import AppFlow
internal import WindowKit

/// The buttons that mute the microphone and turn off the camera while no call is shown.
@WindowActor struct MediaSwitches {
    /// The diameter of a button, in points.
    static let side = 44.0
    /// The width of both buttons, in points.
    static let width = 2 * side + Space.medium

    let controls: CallControls

    /// The state of microphone and camera, as text for people.
    func text(_ strings: Strings) -> String {
        switch (controls.isMuted, controls.isCameraOff) {
        case (false, false): strings["room.media"]
        case (true, false): strings["room.media.muted"]
        case (false, true): strings["room.media.camera-off"]
        case (true, true): strings["room.media.off"]
        }
    }

    /// Draws both buttons in the middle of `box`; a press calls `press` with the key of the same effect.
    ///
    /// Their control IDs begin with `prefix`.
    func draw(_ ui: Interface, _ prefix: String, in box: Box, _ press: (Shortcut) -> Void) {
        var row = Box(center: box.center, width: Self.width, height: Self.side)
        let microphone = row.takeLeft(Self.side, gap: Space.medium).center
        let isMuted = controls.isMuted
        let glyph = isMuted ? Glyph.mutedMicrophone : .microphone
        let name = ui.strings[isMuted ? "call.unmute" : "call.mute"]
        if button(ui, "\(prefix).microphone", glyph, name, microphone, isOff: isMuted) { press(.m) }
        let isCameraOff = controls.isCameraOff
        let sign = isCameraOff ? Glyph.closedCamera : .camera
        let title = ui.strings[isCameraOff ? "call.camera.on" : "call.camera.off"]
        if button(ui, "\(prefix).camera", sign, title, row.center, isOff: isCameraOff) { press(.v) }
    }

    private func button(
        _ ui: Interface,
        _ id: String,
        _ glyph: Glyph,
        _ name: String,
        _ center: Point,
        isOff: Bool
    ) -> Bool {
        ui.iconButton(
            ControlID(id),
            glyph,
            name,
            center: center,
            diameter: Self.side,
            fill: isOff ? ui.theme.text : ui.theme.field,
            ink: isOff ? ui.theme.surface : ui.theme.text
        )
    }
}
