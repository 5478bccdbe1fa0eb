internal import CallCore

/// One second of a call in one line, as in "1.9 Mb/s · 30 fps · lost 0 · RTT 0.3 ms".
struct StatusText {
    let statistics: CallStatistics

    var line: String {
        var parts: [String] = []
        if let video = statistics.videoIn {
            parts.append(
                "▼ \(Self.rate(video.bitrate)) \(video.width)×\(video.height) \(Self.trim(video.fps)) fps"
            )
        }
        if let audio = statistics.audioIn { parts.append("♪ \(Self.rate(audio.bitrate))") }
        if let video = statistics.videoOut {
            parts.append("▲ \(Self.rate(video.bitrate + (statistics.audioOut?.bitrate ?? 0)))")
        }
        let lost = (statistics.videoIn?.lost ?? 0) + (statistics.audioIn?.lost ?? 0)
        parts.append("lost \(lost)")
        if let rtt = statistics.rttMs { parts.append("RTT \(Self.trim(rtt)) ms") }
        return parts.joined(separator: " · ")
    }

    static func rate(_ bitsPerSecond: Int) -> String {
        switch bitsPerSecond {
        case 1_000_000...: "\(trim(Double(bitsPerSecond / 10_000) / 100)) Mb/s"
        default: "\(bitsPerSecond / 1000) kb/s"
        }
    }

    static func trim(_ number: Double) -> String {
        let text = "\((number * 100).rounded() / 100)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
