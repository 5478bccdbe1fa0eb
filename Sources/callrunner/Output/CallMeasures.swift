internal import AppFlow
internal import CallCore
internal import Synchronization

/// The current measurements of a call, for the metrics and for the table of several calls.
final class CallMeasures: Sendable {
    /// The measurements of one run in a room; a run may have several calls.
    struct Figures: Sendable {
        var peer = ""
        var isConnected = false
        /// The number of attempts; `connections` is the number of those that connected media.
        var attempts = 0
        var connections = 0
        /// The number of ended calls, by reason.
        var ended: [String: Int] = [:]
        var setup = CallSetup()
        /// The statistics of the last second; nil between calls.
        var now: CallStatistics?
        /// The last statistics, which remain available after the end of a call; nil before the first ones.
        var latest: CallStatistics?
        /// The received frame rate in each second with video, except the first second after each connection
        /// of media.
        var rates: [Double] = []
    }

    let room: RoomID
    let role: Role
    private let content = Mutex(Figures())
    /// The maximum number of stored frame rates: one per second for a day.
    private static let maximumRates = 86_400

    init(_ plan: CallPlan) { (room, role) = (plan.identity.room, plan.role) }

    var figures: Figures { content.withLock { $0 } }

    /// Records an event of the call; events must arrive in order.
    func handle(_ event: FlowEvent) {
        content.withLock { figures in
            switch event {
            case .peerJoined(let participant): figures.peer = participant.username
            case .call(let report): Self.handle(report, &figures)
            default: break
            }
        }
    }

    private static func handle(_ report: CallReport, _ figures: inout Figures) {
        switch report {
        case .started: figures.attempts += 1
        case .mediaConnected:
            figures.isConnected = true
            figures.connections += 1
        case .statistics(let statistics):
            // The first statistics of a call cover a second in which it was still being set up.
            let isWhole = figures.now != nil
            figures.now = statistics
            figures.latest = statistics
            if isWhole, let video = statistics.videoIn, figures.rates.count < maximumRates {
                figures.rates.append(video.fps)
            }
        case .state(let state):
            if state != .connected { (figures.isConnected, figures.now) = (false, nil) }
        case .ended(let summary):
            figures.setup = summary.setup
            figures.ended[summary.end.reason, default: 0] += 1
            (figures.isConnected, figures.now) = (false, nil)
        case .peer, .sdpSent, .sdpReceived, .iceSelected, .firstFrame, .peerMedia, .peerUnaware: break
        }
    }
}
