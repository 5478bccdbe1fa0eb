internal import Basics
internal import LiveCore
internal import MediaKit

/// Checks of the values in a player's reports.
extension PlayerReport {
    /// The plausible times: a thousand years in either direction, which exceeds the range of GStreamer's times.
    private static let times = Duration.seconds(-31_557_600_000)...Duration.seconds(31_557_600_000)
    private static let sizes = 0...65_535

    var isPlausible: Bool {
        switch self {
        case .opened, .alive: true
        case .refused(let failure): ReportedText.isPlausible(failure.message)
        case .event(let event):
            switch event {
            case .started(let format), .changed(let format): Self.isPlausible(format)
            case .progress(let progress): Self.isPlausible(progress)
            case .failed(let failure): ReportedText.isPlausible(failure.message)
            case .stalled, .resumed, .looped, .ended: true
            }
        }
    }

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

    private static func isPlausible(_ format: LiveFormat) -> Bool {
        let size = format.resolution.map { [$0.width, $0.height] } ?? []
        return ReportedText.isPlausible(format.codec) && size.allSatisfy(sizes.contains)
    }

    private static func isPlausible(_ progress: LiveProgress) -> Bool {
        [progress.position, progress.duration, progress.latency, progress.behind, progress.segment]
            .compactMap(\.self).allSatisfy(times.contains)
    }

    private static func shortened(_ failure: LiveFailure) -> LiveFailure {
        var failure = failure
        failure.message = ReportedText.shortened(failure.message)
        return failure
    }

    private static func shortened(_ format: LiveFormat) -> LiveFormat {
        LiveFormat(
            resolution: format.resolution,
            codec: ReportedText.shortened(format.codec),
            isLive: format.isLive
        )
    }
}
