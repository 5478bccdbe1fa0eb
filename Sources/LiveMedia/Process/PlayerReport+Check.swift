internal import Basics
internal import LiveCore

/// The bounds of what a player reports; a hostile stream may have taken over its process.
extension PlayerReport {
    /// The longest text in Unicode scalars; libraries may quote what a server has sent.
    private static let longestText = 2000
    /// A thousand years in either direction, which GStreamer's times cannot reach.
    private static let times = Duration.seconds(-31_557_600_000)...Duration.seconds(31_557_600_000)
    private static let sizes = 0...65_535

    /// Whether all values are in their ranges.
    var isPlausible: Bool {
        switch self {
        case .opened, .alive: true
        case .refused(let failure): Self.isPlausible(failure.message)
        case .event(let event):
            switch event {
            case .started(let format), .changed(let format): Self.isPlausible(format)
            case .progress(let progress): Self.isPlausible(progress)
            case .failed(let failure): Self.isPlausible(failure.message)
            case .stalled, .resumed, .looped, .ended: true
            }
        }
    }

    /// The report with its texts shortened, as a player sends it.
    var shortened: PlayerReport {
        switch self {
        case .opened, .alive: self
        case .refused(let failure): .refused(Self.shortened(failure))
        case .event(let event):
            switch event {
            case .started(let format): .event(.started(Self.shortened(format)))
            case .changed(let format): .event(.changed(Self.shortened(format)))
            case .failed(let failure): .event(.failed(Self.shortened(failure)))
            case .stalled, .resumed, .progress, .looped, .ended: self
            }
        }
    }

    private static func isPlausible(_ text: String) -> Bool { text.unicodeScalars.count <= longestText }

    private static func isPlausible(_ format: LiveFormat) -> Bool {
        let size = format.resolution.map { [$0.width, $0.height] } ?? []
        return isPlausible(format.codec) && size.allSatisfy(sizes.contains)
    }

    private static func isPlausible(_ progress: LiveProgress) -> Bool {
        [progress.position, progress.duration, progress.latency, progress.behind, progress.segment]
            .compactMap(\.self).allSatisfy(times.contains)
    }

    private static func shortened(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(longestText)))
    }

    private static func shortened(_ failure: LiveFailure) -> LiveFailure {
        var failure = failure
        failure.message = shortened(failure.message)
        return failure
    }

    private static func shortened(_ format: LiveFormat) -> LiveFormat {
        LiveFormat(resolution: format.resolution, codec: shortened(format.codec), isLive: format.isLive)
    }
}

/// A limit on how often a player reports.
///
/// A player reports a few times a second. Reports may have waited while this process stood still.
struct ReportAllowance {
    private static let burst = 1000.0
    private static let perSecond = 100.0

    private var left = burst
    private var last: ContinuousClock.Instant?

    /// Takes one report at this time; false if there were too many.
    mutating func take(at now: ContinuousClock.Instant) -> Bool {
        if let last { left = min(Self.burst, left + (now - last) / .seconds(1) * Self.perSecond) }
        last = now
        left -= 1
        return left >= 0
    }
}
