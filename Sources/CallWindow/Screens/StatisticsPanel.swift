internal import AppFlow
internal import CallCore
internal import WindowKit

/// A panel over the video with the statistics of the call: values of the last second, and the number of
/// packets lost since the attempt began.
@WindowActor final class StatisticsPanel {
    var isOpen = false
    /// The rectangle of the panel when it was last drawn; nil before it is drawn.
    private(set) var place: Box?

    /// Draws the panel if it is open.
    func draw(_ ui: Interface, _ state: CallViewModel.State, below signs: Box?) {
        guard isOpen else { return }
        let all = rows(ui.strings, state)
        guard !all.isEmpty else { return }
        let width = min(380, ui.area.width - 2 * Space.large)
        var top = ui.area.width < 1100 ? CallHeader.bottom + Space.small : Space.large
        if let signs, signs.x < Space.large + width + Space.small {
            top = signs.bottom + Space.small
        }
        // In a narrow panel, a value is below its name.
        let isNarrow = width < 330
        let height = isNarrow ? 40.0 : 22
        let content = Double(all.count) * height
        let room = CallNotices.place(in: ui).y - Space.small - top - 2 * Space.medium
        let panel = Box(
            x: Space.large,
            y: top,
            width: width,
            height: max(height, min(content, room)) + 2 * Space.medium
        )
        place = panel
        ui.painter.fill(panel, radius: Corner.medium, .glass)
        // If the window is not high enough, the wheel scrolls to the rest.
        ui.scroll("call.figures", panel.inset(x: 0, y: Space.medium), contentHeight: content) { content in
            var rest = content.inset(x: Space.medium, y: 0)
            for (name, figure) in all {
                var row = rest.takeTop(height)
                let label = isNarrow ? row.takeTop(18) : row.takeLeft(120, gap: Space.small)
                if isNarrow { row = row.takeTop(18) }
                ui.painter.text(name, in: label, .caption, ui.theme.faint)
                ui.painter.text(figure, in: row, .caption, ui.theme.text, isNarrow ? .leading : .trailing)
            }
        }
    }

    private func rows(_ strings: Strings, _ state: CallViewModel.State) -> [(String, String)] {
        guard let statistics = state.statistics else { return [] }
        func rate(_ bits: Int) -> String { strings("statistics.rate", ["rate": "\(bits / 1000)"]) }
        func fps(_ value: Double) -> String { strings("statistics.fps", ["fps": "\(Int(value.rounded()))"]) }
        var rows: [(String, String)] = []
        if let video = statistics.videoIn {
            let size = video.width > 0 ? "\(video.width)×\(video.height) · " : ""
            rows.append((strings["statistics.video-in"], "\(size)\(fps(video.fps)) · \(rate(video.bitrate))"))
        }
        if let video = statistics.videoOut {
            let figure = "\(video.codec) · \(fps(video.fps)) · \(rate(video.bitrate))"
            rows.append((strings["statistics.video-out"], figure))
        }
        if let audio = statistics.audioIn {
            rows.append((strings["statistics.audio-in"], "\(audio.codec) · \(rate(audio.bitrate))"))
        }
        if let audio = statistics.audioOut {
            rows.append((strings["statistics.audio-out"], "\(audio.codec) · \(rate(audio.bitrate))"))
        }
        let lost = (statistics.videoIn?.lost ?? 0) + (statistics.audioIn?.lost ?? 0)
        rows.append((strings["statistics.lost"], "\(lost)"))
        if let rtt = statistics.rttMs {
            rows.append(
                (strings["statistics.rtt"], strings("statistics.ms", ["ms": "\(Int(rtt.rounded()))"]))
            )
        }
        // The arrow in the path is replaced, because not every font has it.
        let path = state.path?.split(separator: "→").joined(separator: " – ")
        if let path { rows.append((strings["statistics.path"], path)) }
        return rows
    }
}
