internal import CallCore

/// One second of a call in one line, as in "▼ 1.9 Mb/s 30 fps · ▲ 2 Mb/s · lost 0 · RTT 0.3 ms".
struct StatusText {
    let statistics: CallStatistics

    var line: String {
        var parts: [String] = []
        if let video = statistics.videoIn {
            parts.append("▼ \(Self.rate(video.bitrate)) \(Self.trim(video.fps.rounded())) fps")
        } else if let audio = statistics.audioIn {
            parts.append("▼ \(Self.rate(audio.bitrate))")
        }
        let sent = [statistics.videoOut, statistics.audioOut].compactMap { $0?.bitrate }
        if !sent.isEmpty { parts.append("▲ \(Self.rate(sent.reduce(0, +)))") }
        parts.append("lost \((statistics.videoIn?.lost ?? 0) + (statistics.audioIn?.lost ?? 0))")
        if let rtt = statistics.rttMs { parts.append("RTT \(Self.trim(rtt)) ms") }
        return parts.joined(separator: " · ")
    }

    /// As in "1.9 Mb/s" or "64 kb/s".
    static func rate(_ bitsPerSecond: Int) -> String {
        switch bitsPerSecond {
        case 1_000_000...: "\(trim(Double(bitsPerSecond / 100_000) / 10)) Mb/s"
        default: "\(bitsPerSecond / 1000) kb/s"
        }
    }

    /// With two decimals at most, and none where there is nothing behind the point.
    static func trim(_ number: Double) -> String {
        let text = "\((number * 100).rounded() / 100)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
