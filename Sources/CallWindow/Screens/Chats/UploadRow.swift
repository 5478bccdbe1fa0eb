internal import AppFlow
internal import ChatCore
internal import WindowKit

/// The row of a file that is being sent, at the end of a conversation.
@WindowActor struct UploadRow {
    private static let lineHeight = 44.0

    let upload: ChatTransfers.Upload
    let model: ChatsViewModel

    private func reason(_ ui: Interface) -> String {
        upload.failure.map { ui.strings.sentence(of: $0) } ?? ""
    }

    func height(_ ui: Interface, width: Double) -> Double {
        guard upload.failure != nil else { return Self.lineHeight }
        let lines = ui.painter.height(of: reason(ui), .caption, width: width)
        return Self.lineHeight + lines + Space.tiny + 40 + Space.small
    }

    func draw(_ ui: Interface, in box: Box) {
        var rest = box
        var line = rest.takeTop(Self.lineHeight)
        let sign = line.takeLeft(32, gap: Space.small).center
        if upload.failure == nil {
            ui.spinner(sign, diameter: 20, ui.theme.faint)
        } else {
            ui.painter.glyph(.notice, center: sign, size: 20, ui.theme.dangerInk)
        }
        let title = upload.file.isVoice ? ui.strings["chat.file.voice"] : upload.name
        ui.painter.text(title, in: line, .body, ui.theme.text)
        guard upload.failure != nil else { return }
        let lines = ui.painter.height(of: reason(ui), .caption, width: rest.width)
        ui.painter.paragraph(
            reason(ui),
            in: rest.takeTop(lines, gap: Space.tiny),
            .caption,
            ui.theme.dangerInk
        )
        var buttons = rest.takeTop(40)
        let (delete, retry) = (ui.strings["chat.discard"], ui.strings["chats.retry"])
        let id = ControlID("chat.upload \(upload.id)")
        let first = buttons.takeLeft(min(buttons.width * 0.6, ui.buttonWidth(retry)), gap: Space.small)
        if ui.button(id.child(0), retry, .secondary, in: first) {
            model.send(.file(.retry(upload: upload.id)))
        }
        let second = buttons.takeLeft(min(buttons.width, ui.buttonWidth(delete)))
        if ui.button(id.child(1), delete, .quiet, in: second) {
            model.send(.file(.remove(upload: upload.id)))
        }
    }
}
