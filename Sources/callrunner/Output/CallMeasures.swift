internal import CallCore
internal import CallFlow
internal import Synchronization

/// What is known of one call at a moment, for whoever asks: metrics, and the table of many calls.
final class CallMeasures: Sendable {
    /// Figures of one run in one room.
    struct Figures: Sendable {
        var peer = ""
        var isConnected = false
        /// Attempts begun, and those that got as far as media.
        var attempts = 0
        var connections = 0
        /// Ended calls, by reason.
        var ended: [String: Int] = [:]
        var setup = CallSetup()
        /// Of the last second; nothing between calls.
        var now: CallStatistics?
        /// The last that was told, kept after the end.
        var latest: CallStatistics?
        /// Pictures per second of each whole second in which some could come.
        var rates: [Double] = []
    }

    let room: RoomID
    let role: Role
    private let content = Mutex(Figures())
    /// Seconds whose pace is kept: a day's.
    private static let mostRates = 86_400

    init(_ plan: CallPlan) { (room, role) = (plan.identity.room, plan.role) }

    var figures: Figures { content.withLock { $0 } }

    /// Takes what happens in the call, in order.
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
            // The first second is one in which the call was still being set up.
            let isWhole = figures.now != nil
            figures.now = statistics
            figures.latest = statistics
            if isWhole, let video = statistics.videoIn, figures.rates.count < mostRates {
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
