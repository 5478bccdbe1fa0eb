internal import AppFlow
internal import Basics
internal import ChatCore
internal import WindowKit

/// The view of a message's file in the bubble: a picture, playable audio or video, or a row with name, type and size.
@WindowActor struct MediaView {
    private static let rowHeight = 48.0
    private static let tallest = 320.0
    private static let widest = 300.0
    private static let widestVideo = 420.0
    private static let leastSide = 56.0
    /// The maximum width and height of a picture that is decoded, in pixels.
    private static let largestSide = 4096
    private static let pictureTypes: Set = ["image/jpeg", "image/png", "image/webp"]

    enum Press: Hashable { case save, load, sound(SoundView.Press) }

    let media: ChatMedia
    let name: String
    let transfers: ChatTransfers
    /// The place of the frames of the video that is played; nil outside of conversations.
    private let video: ConversationVideo?

    init?(_ message: ChatMessage, _ transfers: ChatTransfers, _ video: ConversationVideo? = nil) {
        guard let media = message.media else { return nil }
        (self.media, self.transfers, self.video) = (media, transfers, video)
        name = message.text
    }

    /// The name under which the file is saved.
    var savedName: String { media.fileName(name) }

    /// Whether the message's text is the name of the file.
    var hasName: Bool { media.isName(name) }

    /// The displayed name, without characters that could disguise its extension; empty if there is none.
    var shownName: String { hasName ? name.printable() : "" }

    /// Whether the file is shown as a picture.
    var isPicture: Bool {
        guard Self.pictureTypes.contains(media.type), let width = media.width, let height = media.height
        else {
            return false
        }
        if case .failed? = transfers.pictures[media.id] { return false }
        return max(width, height) <= Self.largestSide && media.bytes <= ChatLimits.largestFile
    }

    /// Whether the file is audio that can be played in the bubble.
    var isSound: Bool { media.kind == .audio && isPlayable }

    /// Whether the file is video that can be played in the bubble.
    var isVideo: Bool { media.kind == .video && isPlayable }

    private var isPlayable: Bool { transfers.playsSounds && media.bytes <= ChatLimits.largestFile }

    /// Computes the size in a bubble whose content is at most `width` points wide.
    func size(_ width: Double) -> (width: Double, height: Double) {
        if isVideo {
            let width = min(width, Self.widestVideo)
            return (width, stageHeight(width) + Space.tiny + SoundView.height)
        }
        guard isPicture, let across = media.width, let down = media.height else {
            return (min(width, Self.widest), isSound ? SoundView.height : Self.rowHeight)
        }
        let scale = min(1, width / Double(across), Self.tallest / Double(down))
        return (
            min(width, max(Self.leastSide, Double(across) * scale)),
            max(Self.leastSide, Double(down) * scale)
        )
    }

    /// Computes the height of a video's picture, which is 16:9 if its size is not known.
    private func stageHeight(_ width: Double) -> Double {
        let ratio = media.width.flatMap { across in media.height.map { Double($0) / Double(across) } }
        // The size comes from the server.
        return min(Self.tallest, max(Self.leastSide, width * (ratio ?? 9 / 16)))
    }

    func draw(_ ui: Interface, _ id: ControlID, in box: Box, ink: Color, faint: Color) -> Press? {
        if isVideo {
            var rest = box
            let stage = rest.takeTop(stageHeight(box.width), gap: Space.tiny)
            let press = drawStage(ui, id.child(1), stage)
            return drawSound(ui, id.child(0), in: rest, ink: ink, faint: faint) ?? press
        }
        if isSound { return drawSound(ui, id, in: box, ink: ink, faint: faint) }
        return isPicture ? drawPicture(ui, in: box) : drawRow(ui, id, in: box, ink: ink, faint: faint)
    }

    private func drawSound(_ ui: Interface, _ id: ControlID, in box: Box, ink: Color, faint: Color) -> Press?
    {
        let view = SoundView(
            title: shownName.isBlank ? ui.strings["chat.file.\(kind)"] : shownName,
            note: note(ui),
            isSaving: transfers.savings[media.id] == .saving,
            sound: transfers.sound(of: media.id)
        )
        return view.draw(ui, id, in: box, ink: ink, faint: faint).map { $0 == .save ? .save : .sound($0) }
    }

    /// Draws the picture of a video, which plays or pauses when it is pressed.
    private func drawStage(_ ui: Interface, _ id: ControlID, _ box: Box) -> Press? {
        let control = ui.control(id, box)
        ui.painter.fill(box, radius: Corner.medium, Color(0x05070B))
        let sound = transfers.sound(of: media.id)
        // A frame of the previous video may still arrive while this one is loaded.
        if let sound, sound.phase != .loading { video?.draw(ui, in: box) }
        switch sound?.phase {
        case .loading?: ui.spinner(box.center, diameter: 32, .white)
        case .playing?: break
        case .paused?, .failed?, nil:
            ui.painter.disc(box.center, diameter: 52, Color(0x05070B, alpha: 170))
            ui.painter.glyph(.play, center: box.center, size: 28, .white)
        }
        ui.focusRing(control, id, around: box, radius: Corner.medium)
        return control.wasClicked ? .sound(.toggle) : nil
    }

    private func drawPicture(_ ui: Interface, in box: Box) -> Press? {
        if case .shown(let picture)? = transfers.pictures[media.id] {
            ui.painter.picture(picture.frame, in: box, radius: Corner.medium)
            return nil
        }
        ui.painter.fill(box, radius: Corner.medium, ui.theme.field)
        ui.spinner(box.center, diameter: 22, ui.theme.faint)
        return transfers.pictures[media.id] == nil ? .load : nil
    }

    private func drawRow(_ ui: Interface, _ id: ControlID, in box: Box, ink: Color, faint: Color) -> Press? {
        let control = ui.control(id, box)
        var rest = box
        let sign = rest.takeLeft(32, gap: Space.small)
        let saving = transfers.savings[media.id]
        if saving == .saving {
            ui.spinner(sign.center, diameter: 22, ink)
        } else {
            ui.painter.glyph(.folder, center: sign.center, size: 26, ink)
        }
        var lines = Box(center: rest.center, width: rest.width, height: 40)
        let title = shownName.isBlank ? ui.strings["chat.file.\(kind)"] : shownName
        ui.painter.text(title, in: lines.takeTop(22), .strong, ink)
        ui.painter.text(note(ui), in: lines.takeTop(18), .caption, faint)
        ui.focusRing(control, id, around: box, radius: Corner.small)
        ui.tooltip(
            id,
            ui.strings[missed == nil ? "chat.file.save" : "chats.retry"],
            over: box,
            isShown: control.isHovered || control.isFocused
        )
        guard control.wasClicked else { return nil }
        return missed == nil ? .save : .load
    }

    /// The reason why the picture could not be fetched; nil if it was fetched but cannot be decoded.
    private var missed: ChatError? {
        guard case .failed(let error)? = transfers.pictures[media.id] else { return nil }
        if case .refused("picture", _) = error { return nil }
        return error
    }

    /// The kind of the file, as the last part of a string key.
    var kind: String {
        switch media.kind {
        case .picture: "picture"
        case .audio: name.isBlank ? "voice" : "audio"
        case .video: "video"
        case .file: "file"
        }
    }

    private func note(_ ui: Interface) -> String {
        if missed != nil, transfers.savings[media.id] == nil { return ui.strings["chat.file.missed"] }
        switch transfers.savings[media.id] {
        case .saved(let path)?:
            let parts = path.split(separator: "/").suffix(2).map { String($0) }
            let (folder, name) = (parts.first ?? path, parts.last ?? path)
            return ui.strings("chat.file.saved", ["folder": folder, "name": name])
        case .failed(let error)?:
            return ui.strings("chat.file.not-saved", ["reason": ui.strings.sentence(of: error)])
        case .saving?, nil:
            let label = FileLabel(media, name: shownName)
            return "\(ui.strings["chat.file.\(label.rawValue)"]) · \(ui.strings.size(ofBytes: media.bytes))"
        }
    }
}
