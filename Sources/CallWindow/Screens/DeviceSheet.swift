internal import AppFlow
internal import Basics
internal import CallCore
internal import WindowKit

/// The sheet that selects the microphone, loudspeaker and camera of a call.
@WindowActor struct DeviceSheet {
    let model: CallViewModel

    static let id: ControlID = "devices"
    private static let kinds: [MediaDevice.Kind] = [.microphone, .speaker, .camera]
    private static let choice = 22 + Space.tiny + 44 + Space.tiny
    private static let remark = 20.0

    /// Draws the sheet.
    ///
    /// - Returns: Whether the user closes it.
    func draw(_ ui: Interface, _ devices: DeviceChoice, isOpen: Bool) -> Bool {
        ui.sheet(
            Self.id,
            ui.strings["devices.title"],
            isOpen: isOpen,
            contentHeight: Double(Self.kinds.count) * (Self.choice + Self.remark + Space.small)
        ) { box in
            var rest = box
            for kind in Self.kinds {
                draw(kind, ui, devices, rest.takeTop(Self.choice + Self.remark, gap: Space.small))
            }
        }
    }

    private func draw(_ kind: MediaDevice.Kind, _ ui: Interface, _ devices: DeviceChoice, _ box: Box) {
        var rest = box
        let label = ui.strings["devices.\(kind.rawValue)"]
        ui.painter.text(label, in: rest.takeTop(22, gap: Space.tiny), .captionStrong, ui.theme.faint)
        let place = rest.takeTop(44, gap: Space.tiny)
        if let obstacle = devices.obstacle(kind) {
            let sentence = ui.strings.sentence(of: obstacle, kind)
            ui.painter.paragraph(sentence, in: place, .body, ui.theme.faint, limit: 2)
            return
        }
        let choices = devices.choices(of: kind)
        let names = choices.map {
            $0.id == MediaDevice.standard ? ui.strings["devices.standard"] : $0.name
        }
        let chosen = choices.firstIndex { $0.id == devices.chosen(kind) } ?? -1
        if let index = ui.menu(ControlID("devices.\(kind.rawValue)"), names, selected: chosen, in: place) {
            model.send(.select(choices[index].id, as: kind))
        }
        if devices.refusals[kind] != nil {
            ui.painter.text(ui.strings["devices.refused"], in: rest, .caption, ui.theme.dangerInk)
        } else if devices.opening[kind] != nil {
            ui.painter.text(ui.strings["devices.opening"], in: rest, .caption, ui.theme.faint)
        }
    }
}

extension Strings {
    fileprivate func sentence(of obstacle: DeviceChoice.Obstacle, _ kind: MediaDevice.Kind) -> String {
        switch obstacle {
        case .unknown: self["devices.unknown"]
        case .absent: self["devices.\(kind.rawValue).absent"]
        case .unused: self["devices.\(kind.rawValue).unused"]
        }
    }
}
