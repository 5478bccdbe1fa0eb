internal import CallCore
internal import CallFlow

// The state of the peer's media, as far as the peer reports it: signs below its name, and a card in place of
// missing video.

extension CallScreen {
    private struct Sign {
        /// The icon; nil for a dot.
        var glyph: Glyph?
        var word: String
        /// The background; nil for that of the other overlays.
        var ground: Color?
        /// Whether the word may be left out in a narrow window.
        var isShort = true
    }

    private static let signHeight = 28.0
    private static let signInk = 16.0

    /// The top of the signs, below the name, whether there are any signs or not.
    private static var signsTop: Double { Space.large + 36 + Space.small }

    /// Checks whether the peer's last frame is obsolete, because its camera is off or the call is on hold.
    func hidesPicture(_ state: CallViewModel.State) -> Bool {
        state.peerMedia.map { !$0.sendsVideo || $0.isHolding } ?? false
    }

    /// Describes the state of a connected call without video.
    func standing(_ ui: Interface, _ state: CallViewModel.State) -> String {
        if let media = state.peerMedia, media.isHolding { return ui.strings["call.peer.holding"] }
        if let media = state.peerMedia, !media.sendsVideo { return ui.strings["call.peer.camera-off"] }
        guard ui.pictures.remote != nil else { return ui.strings.sentence(of: state.call) }
        // A peer that has only turned off its camera still sends audio.
        let audio = state.statistics?.audioIn?.bitrate
        return ui.strings[audio == 0 ? "call.silent" : "call.paused"]
    }

    /// Selects the icon on the peer's avatar.
    func cardGlyph(_ state: CallViewModel.State) -> Glyph? {
        guard let media = state.peerMedia, state.call == .connected, state.summary == nil else { return nil }
        if media.isHolding { return .pause }
        return media.sendsVideo ? nil : .closedCamera
    }

    /// Computes the area of the signs; nil if there are none.
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

    /// Draws the signs, which stay visible while the controls are hidden.
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
