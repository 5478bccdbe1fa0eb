internal import CallCore
internal import WindowKit

/// The indicators below the peer's name for the media state that the peer reports: recording, muted, camera off.
@WindowActor struct PeerSigns {
    private struct Sign {
        /// The icon; nil for a dot.
        var glyph: Glyph?
        var word: String
        /// The background color; nil for the default, `Color.glass`.
        var ground: Color?
        /// Whether the text may be omitted in a narrow window.
        var isShort = true
    }

    private static let height = 28.0
    private static let ink = 16.0

    /// The media state that the connected peer reports; nil if it is unknown.
    let media: MediaState?

    /// Computes the rectangle around all indicators; nil if there are none.
    func row(_ ui: Interface) -> Box? {
        let signs = signs(ui)
        guard !signs.isEmpty else { return nil }
        var width = Double(signs.count - 1) * Space.small
        for sign in signs { width += self.width(of: sign, ui) }
        return Box(
            center: Point(ui.area.center.x, CallHeader.bottom + Space.small + Self.height / 2),
            width: min(width, ui.area.width - 2 * Space.medium),
            height: Self.height
        )
    }

    /// Draws the indicators, which stay visible while the controls are hidden.
    func draw(_ ui: Interface) {
        guard var row = row(ui) else { return }
        for sign in signs(ui) {
            var chip = row.takeLeft(min(width(of: sign, ui), row.width), gap: Space.small)
            ui.painter.fill(chip, radius: Self.height / 2, sign.ground ?? .glass)
            let hasWord = hasWord(sign, ui)
            if hasWord { chip = chip.inset(x: Space.medium, y: 0) }
            let center = hasWord ? chip.takeLeft(Self.ink, gap: 6).center : chip.center
            if let glyph = sign.glyph {
                ui.painter.glyph(glyph, center: center, size: Self.ink, .white)
            } else {
                ui.painter.disc(center, diameter: 10, .white)
            }
            if hasWord { ui.painter.text(sign.word, in: chip, .captionStrong, .white) }
        }
    }

    private func signs(_ ui: Interface) -> [Sign] {
        guard let media else { return [] }
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
        guard hasWord(sign, ui) else { return Self.height }
        return ui.painter.width(of: sign.word, .captionStrong) + 2 * Space.medium + Self.ink + 7
    }
}
