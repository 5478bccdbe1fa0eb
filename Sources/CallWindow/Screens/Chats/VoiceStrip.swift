internal import AppFlow
internal import ChatCore
internal import WindowKit

/// The strip that replaces the text field while a voice message is recorded, and until it is sent.
@WindowActor struct VoiceStrip {
    static let height = 44.0

    let voice: ChatVoice
    /// The playback state if the recording is the current audio; nil otherwise.
    let sound: ChatSound?
    let model: ChatsViewModel

    func draw(_ ui: Interface, in box: Box) {
        var rest = box
        if button(ui, "discard", .bin, "chat.voice.discard", rest.takeLeft(44, gap: Space.small)) {
            model.send(.voice(.discard))
        }
        let send = rest.takeRight(44, gap: Space.small)
        switch voice.phase {
        case .starting, .ending:
            ui.spinner(send.center, diameter: 22, ui.theme.faint)
            let text = ui.strings[voice.phase == .starting ? "chat.voice.starting" : "chat.voice.ending"]
            ui.painter.text(text, in: rest, .body, ui.theme.faint)
        case .recording:
            if button(ui, "send", .send, "chat.send", send, isPrimary: true) { model.send(.voice(.send)) }
            if button(ui, "stop", .stop, "chat.voice.stop", rest.takeRight(44, gap: Space.small)) {
                model.send(.voice(.stop))
            }
            drawRecording(ui, rest)
        case .recorded:
            if button(ui, "send", .send, "chat.send", send, isPrimary: true) { model.send(.voice(.send)) }
            drawRecorded(ui, rest)
        }
    }

    private func drawRecording(_ ui: Interface, _ box: Box) {
        var rest = box
        let sign = rest.takeLeft(20, gap: Space.tiny).center
        // The dot changes its size with the audio level, which shows that the microphone works.
        let beat = ui.motion.value("chat.voice", "beat", towards: voice.level, lasting: 0.1)
        ui.painter.disc(sign, diameter: 10 + 8 * beat, ui.theme.danger)
        drawTime(ui, voice.duration, rest.takeLeft(52, gap: Space.small))
        let newest = Array(voice.levels.values.suffix(Int(rest.width / 4)))
        let width = Double(newest.count) * 4
        let place = Box(x: rest.right - width, y: rest.y + 8, width: width, height: 28)
        ui.waveform(newest, in: place, end: rest.right, ui.theme.danger, ui.theme.faint)
    }

    private func drawRecorded(_ ui: Interface, _ box: Box) {
        var rest = box
        let plays = sound?.phase == .playing
        let place = rest.takeLeft(44, gap: Space.small)
        if sound?.phase == .loading {
            ui.spinner(place.center, diameter: 20, ui.theme.faint)
        } else if button(ui, "play", plays ? .pause : .play, plays ? "live.pause" : "live.play", place) {
            model.send(.voice(.toggle))
        }
        drawTime(ui, sound.map(\.position) ?? voice.duration, rest.takeRight(52, gap: Space.small))
        let share = ui.track(
            "chat.voice.track",
            sound?.share ?? 0,
            levels: voice.levels.values,
            in: rest.inset(x: 6, y: 8),
            ink: ui.theme.link,
            isEnabled: sound?.canBeMoved ?? false
        )
        if let share { model.send(.voice(.seek(share))) }
    }

    private func drawTime(_ ui: Interface, _ time: Duration, _ box: Box) {
        ui.painter.text(time.clock, in: box, .strong, ui.theme.text)
    }

    private func button(
        _ ui: Interface,
        _ id: String,
        _ glyph: Glyph,
        _ name: String,
        _ place: Box,
        isPrimary: Bool = false
    ) -> Bool {
        ui.iconButton(
            ControlID("chat.voice.\(id)"),
            glyph,
            ui.strings[name],
            center: place.center,
            fill: isPrimary ? ui.theme.brand : nil,
            ink: isPrimary ? .white : nil
        )
    }
}
