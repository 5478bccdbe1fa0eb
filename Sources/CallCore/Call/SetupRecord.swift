internal import Basics

/// A record of the times at which the setup steps were completed, counted from its creation.
struct SetupRecord {
    private(set) var times = CallSetup()
    private let stopwatch: Stopwatch
    /// The time until the first frame of each media kind, in milliseconds.
    private(set) var firstFrames: [MediaKind: Int] = [:]

    init(_ clock: any Clock<Duration>) {
        stopwatch = Stopwatch(clock)
    }

    mutating func note(_ event: CallEvent, in machine: AttemptStateMachine) {
        switch event {
        case .offerCreated, .offerReceived: stamp(\.offer)
        case .answerCreated: stamp(\.answer)
        case .answerReceived: if machine.state == .connecting { stamp(\.answer) }
        case .media(let event): note(event)
        case .start, .stop, .ringingReceived, .restartReceived, .candidateReceived, .answerRefused,
            .answerApplied, .deadlineReached:
            break
        }
    }

    private mutating func note(_ event: MediaEvent) {
        switch event {
        case .localCandidate: stamp(\.firstCandidate)
        case .iceConnected: stamp(\.ice)
        case .connected: stamp(\.dtls)
        case .firstPacket: stamp(\.firstPacket)
        case .firstFrame(let kind):
            guard firstFrames[kind] == nil else { return }
            firstFrames[kind] = stopwatch.milliseconds
            times.firstFrame = firstFrames[.video] ?? firstFrames[.audio]
        case .relaysFailed, .iceSelected, .statistics, .stalled, .addressLost, .addressGained, .sourceEnded,
            .failed:
            break
        }
    }

    private mutating func stamp(_ step: WritableKeyPath<CallSetup, Int?>) {
        guard times[keyPath: step] == nil else { return }
        times[keyPath: step] = stopwatch.milliseconds
    }
}
