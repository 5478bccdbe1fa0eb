internal import CallCore
internal import CallFlow

// What the peer does with its media, as far as it tells: signs below its name, and a card in place of a picture
// that does not come.

extension CallScreen {
    private struct Sign {
        /// A dot where there is none.
        var glyph: Glyph?
        var word: String
        /// Nil for that of whatever lies over the pictures.
        var ground: Color?
        /// Whether the word may be missing where there is little room.
        var isShort = true
    }

    private static let signHeight = 28.0
    private static let signInk = 16.0

    /// Where the signs stand, whether there are any or not: below the name.
    private static var signsTop: Double { Space.large + 36 + Space.small }

    /// Whether the peer's last picture is none to look at any more.
    func hidesPicture(_ state: CallViewModel.State) -> Bool {
        state.peerMedia.map { !$0.sendsVideo || $0.isHolding } ?? false
    }

    /// Where the call stands, in words, while it is connected and no picture comes.
    func standing(_ ui: Interface, _ state: CallViewModel.State) -> String {
        if let media = state.peerMedia, media.isHolding { return ui.strings["call.peer.holding"] }
        if let media = state.peerMedia, !media.sendsVideo { return ui.strings["call.peer.camera-off"] }
        guard ui.pictures.remote != nil else { return ui.strings.sentence(of: state.call) }
        // Whoever has only closed a camera is still heard.
        let audio = state.statistics?.audioIn?.bitrate
        return ui.strings[audio == 0 ? "call.silent" : "call.paused"]
    }

    /// The sign on the disc that stands for the peer.
    func cardGlyph(_ state: CallViewModel.State) -> Glyph? {
        guard let media = state.peerMedia, state.call == .connected, state.summary == nil else { return nil }
        if media.isHolding { return .pause }
        return media.sendsVideo ? nil : .closedCamera
    }

    /// Where the signs are; nil where there are none.
    func signsRow(_ ui: Interface, _ state: CallViewModel.State) -> Box? {
        let signs = signs(ui, state)
        guard !signs.isEmpty else { return nil }
        var width = Double(signs.count - 1) * Space.small
        for sign in signs { width += self.width(of: sign, ui) }
        return Box(
            center: Point(ui.area.center.x, Self.signsTop + Self.signHeight / 2),
            width: min(width, ui.area.width - 2 * Space.medium),
            height: Self.signHeight
        )
    }

    /// Draws what must be seen also while the controls are away.
    func drawSigns(_ ui: Interface, _ state: CallViewModel.State) {
        guard var row = signsRow(ui, state) else { return }
        for sign in signs(ui, state) {
            var chip = row.takeLeft(min(width(of: sign, ui), row.width), gap: Space.small)
            ui.painter.fill(chip, radius: Self.signHeight / 2, sign.ground ?? Self.glass)
            let hasWord = hasWord(sign, ui)
            if hasWord { chip = chip.inset(x: Space.medium, y: 0) }
            let center = hasWord ? chip.takeLeft(Self.signInk, gap: 6).center : chip.center
            if let glyph = sign.glyph {
                ui.painter.glyph(glyph, center: center, size: Self.signInk, .white)
            } else {
                ui.painter.disc(center, diameter: 10, .white)
            }
            if hasWord { ui.painter.text(sign.word, in: chip, .captionStrong, .white) }
        }
    }

    private func signs(_ ui: Interface, _ state: CallViewModel.State) -> [Sign] {
        guard let media = state.peerMedia, state.call == .connected, state.summary == nil else { return [] }
        var signs: [Sign] = []
        if media.isRecording {
            let word = ui.strings["call.peer.recording"]
            signs.append(Sign(word: word, ground: Color(0xC01F28), isShort: false))
        }
        if !media.sendsAudio {
            signs.append(Sign(glyph: .mutedMicrophone, word: ui.strings["call.peer.muted"]))
        }
        if !media.sendsVideo {
            signs.append(Sign(glyph: .closedCamera, word: ui.strings["call.peer.camera-off"]))
        }
        return signs
    }

    private func hasWord(_ sign: Sign, _ ui: Interface) -> Bool { !sign.isShort || ui.area.width >= 560 }

    private func width(of sign: Sign, _ ui: Interface) -> Double {
        guard hasWord(sign, ui) else { return Self.signHeight }
        return ui.painter.width(of: sign.word, .captionStrong) + 2 * Space.medium + Self.signInk + 7
    }
}
