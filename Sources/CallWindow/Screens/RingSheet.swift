internal import AppFlow
internal import Basics
internal import ChatCore
internal import WindowKit

/// The sheet for an incoming call, in the room or from a conversation.
@WindowActor struct RingSheet {
    /// The height of the complete sheet, in points.
    private static let height = 392.0
    /// The time in seconds for which a new sheet ignores clicks and keys, which may be meant for the content below it.
    private static let pause = 0.7

    private let id: ControlID
    private let ring: RoomState.Ring?
    private let controls: CallControls
    private let answer: (Bool) -> Void
    private let press: (Shortcut) -> Void
    /// The caller's username as shown, such as `@bob`; nil if there is none.
    private var handle: String?
    /// Mutes the caller; nil for a call in the room.
    private var mute: (() -> Void)?

    /// Creates the sheet for a call in the room.
    init(model: RoomViewModel) {
        id = "ring"
        (ring, controls) = (model.store.state.ring, model.store.state.controls)
        answer = { model.send($0 ? .accept : .decline) }
        press = { key in if let command = model.command(of: key) { model.send(command) } }
    }

    /// Creates the sheet for a call from a conversation.
    init(_ chatRing: ChatRing, _ chatCalls: ChatCalls, _ strings: Strings) {
        id = "chat.ring"
        (ring, controls) = (RoomState.Ring(peer: strings.name(of: chatRing.person)), chatCalls.controls)
        handle = chatRing.person.handle
        mute = { chatCalls.mute() }
        answer = { chatCalls.answer($0) }
        press = { chatCalls.press($0) }
    }

    func draw(_ ui: Interface) {
        let share = ui.motion.value(id, "open", towards: ring == nil ? 0 : 1, from: 0)
        guard let ring else { return }
        let name = ring.peer ?? ui.strings["common.peer"]
        ui.inLayer(2) {
            ui.painter.opacity = 0.3 + 0.7 * share
            ui.painter.fill(ui.area, ui.theme.scrim)
            let panel = Box(
                center: ui.area.center,
                width: min(360, ui.area.width - 2 * Space.medium),
                height: min(Self.height, ui.area.height - 2 * Space.medium)
            )
            .moved(y: (1 - share) * 16)
            ui.painter.shadow(of: panel, radius: Corner.large, height: 24, ui.theme.shadow)
            ui.painter.fill(panel, radius: Corner.large, ui.theme.surface)
            ui.painter.stroke(
                panel,
                radius: Corner.large,
                ui.theme.outline.mixed(with: ui.theme.surface, share: 0.35)
            )
            let mayUseKeys = ui.mayUseKeys(id) && share >= 1
            let isReady = ui.motion.age(id, "ring of \(name)") >= Self.pause
            drawInside(ui, panel, name, isReady)
            ui.painter.opacity = 1
            guard mayUseKeys else { return }
            if ui.consumes(.enter) {
                if isReady { answer(true) }
            } else if ui.consumes(.escape) {
                if isReady { answer(false) }
            }
        }
    }

    /// Draws the buttons at the bottom, and above them the avatar and the texts for which there is space.
    private func drawInside(_ ui: Interface, _ panel: Box, _ name: String, _ isReady: Bool) {
        let isLow = panel.height < Self.height
        var rest = panel.inset(x: Space.huge, y: isLow ? Space.medium : Space.huge)
        let gap = isLow ? Space.medium : Space.huge
        let buttons = rest.takeBottom(min(AnswerButtons.height, rest.height), gap: gap)
        // In a low window, the caller takes precedence over the switches.
        let hasSwitches = rest.height >= 50 + gap + MediaSwitches.side
        let switches = hasSwitches ? rest.takeBottom(MediaSwitches.side, gap: gap) : nil
        // A long name needs a second line, also where large text leaves little space.
        let lines = ui.painter.height(of: name, .title, width: rest.width, limit: 2)
        let title = rest.height >= lines + 22 ? lines : 28
        let side = min(96, rest.height - title - 22 - gap)
        if side >= 36 { drawCaller(ui, name, rest.takeTop(side, gap: gap).center, side: side) }
        if rest.height >= title {
            let limit = title > 28 ? 2 : 1
            let place = rest.takeTop(title)
            ui.painter.paragraph(name, in: place, .title, ui.theme.text, .center, limit: limit)
        }
        if rest.height >= 22 {
            let text = [handle, ui.strings["room.ring"]].compactMap(\.self).joined(separator: " · ")
            ui.painter.text(text, in: rest.takeTop(22), .body, ui.theme.faint, .center)
        }
        AnswerButtons.draw(ui, buttons) { if isReady { answer($0) } }
        if let mute {
            let corner = Point(panel.x + panel.width - 32, panel.y + 32)
            let title = ui.strings["room.ring.mute"]
            let isPressed = ui.iconButton("ring.mute", .mutedSpeaker, title, center: corner, diameter: 40)
            if isPressed, isReady { mute() }
        }
        guard let switches else { return }
        // An open sheet receives no keys but those of its own controls.
        MediaSwitches(controls: controls).draw(ui, "ring", in: switches, hasKeys: false, press)
    }

    /// Draws the caller's avatar with waves around it.
    private func drawCaller(_ ui: Interface, _ name: String, _ center: Point, side: Double) {
        ui.motion.keepMoving()
        let time = (ui.motion.time / 1.6).truncatingRemainder(dividingBy: 1)
        for wave in [time, (time + 0.5).truncatingRemainder(dividingBy: 1)] {
            var color = ui.theme.brand
            color.alpha = UInt8(90 * (1 - wave))
            ui.painter.arc(
                center,
                radius: side * (0.42 + 0.19 * wave),
                from: 0,
                to: 2 * .pi,
                width: 2,
                color
            )
        }
        ui.avatar(name, center: center, diameter: side * 0.84)
    }
}
