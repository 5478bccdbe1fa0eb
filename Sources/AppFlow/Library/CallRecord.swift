internal import Basics
internal import CallCore

/// The record of a running call, which becomes a `PastCall`.
struct CallRecord {
    private var call: PastCall
    private let clock: any Clock<Duration>
    /// The time since media began to flow; nil before that.
    private var held: Stopwatch?

    init(peer: String?, plan: CallPlan, began: Timestamp, clock: any Clock<Duration>) {
        self.clock = clock
        call = PastCall(
            peer: peer,
            room: plan.identity.room,
            isOutgoing: plan.role == .caller,
            began: began,
            result: .unanswered
        )
    }

    /// Handles a report; returns the call if it must be saved now, so that it survives the end of the process.
    mutating func handle(_ report: CallReport) -> PastCall? {
        switch report {
        case .peer(let name): call.peer = name
        case .mediaConnected where held == nil:
            held = Stopwatch(clock)
            call.result = .held(nil)
            return call
        case .ended: if let held { call.result = .held(held.elapsed) }
        default: break
        }
        return nil
    }

    /// Returns the ended call; `isMissed` is true if the user was asked to answer and did not.
    func ended(_ summary: CallSummary, isMissed: Bool) -> PastCall {
        var ended = call
        ended.peer = summary.peer ?? call.peer
        guard held == nil else { return ended }
        ended.result = isMissed ? .missed : Self.result(of: summary.end, isOutgoing: call.isOutgoing)
        return ended
    }

    /// Determines the result of a call in which media never flowed and which was not missed.
    private static func result(of end: CallEnd, isOutgoing: Bool) -> PastCall.Result {
        switch end {
        case .declined: .declined
        case .hungUp, .peerLeft, .duration, .sourceEnded, .timedOut(.peer), .timedOut(.offer),
            .timedOut(.answer):
            isOutgoing ? .unanswered : .failed
        case .timedOut(.description), .timedOut(.media), .media, .signaling: .failed
        }
    }
}
