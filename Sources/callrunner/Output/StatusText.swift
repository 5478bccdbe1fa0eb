internal import CallCore

/// The statistics of a call in one line: values of the last second, and the number of packets lost since the
/// attempt began.
///
/// An example is "▼ 1.1 Mb/s 1280×720 30 fps · ▲ 1.1 Mb/s · lost 0". Both bit rates are the sums of video and
/// audio.
struct StatusText {
    let statistics: CallStatistics

    var line: String { LiveText(groups).line }

    /// The pieces of the line in groups; on a narrow terminal, the least important pieces are dropped.
    var groups: [[LiveText.Piece]] {
        var groups: [[LiveText.Piece]] = []
        let received = [statistics.videoIn, statistics.audioIn].compactMap { $0?.bitrate }
        if !received.isEmpty {
            groups.append([LiveText.Piece("▼ \(Self.rate(received.reduce(0, +)))", 6)] + videoPieces)
        }
        let sent = [statistics.videoOut, statistics.audioOut].compactMap { $0?.bitrate }
        if !sent.isEmpty { groups.append([LiveText.Piece("▲ \(Self.rate(sent.reduce(0, +)))", 4)]) }
        let lost = (statistics.videoIn?.lost ?? 0) + (statistics.audioIn?.lost ?? 0)
        groups.append([LiveText.Piece("lost \(lost)", 7)])
        if let rtt = statistics.rttMs { groups.append([LiveText.Piece("RTT \(Self.trim(rtt)) ms", 3)]) }
        return groups
    }

    /// The resolution and the frame rate of the received video.
    private var videoPieces: [LiveText.Piece] {
        guard let video = statistics.videoIn else { return [] }
        let size = video.width > 0 ? [LiveText.Piece("\(video.width)×\(video.height)", 1)] : []
        return size + [LiveText.Piece("\(Self.trim(video.fps.rounded())) fps", 5)]
    }

    /// Formats a bit rate, as in "1.9 Mb/s" or "64 kb/s".
    static func rate(_ bitsPerSecond: Int) -> String {
        switch bitsPerSecond {
        case 1_000_000...: "\(trim(Double(bitsPerSecond / 100_000) / 10)) Mb/s"
        default: "\(bitsPerSecond / 1000) kb/s"
        }
    }

    /// Formats a number with at most two decimals.
    static func trim(_ number: Double) -> String {
        let text = "\((number * 100).rounded() / 100)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
