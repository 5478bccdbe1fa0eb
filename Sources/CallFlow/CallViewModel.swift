package import CallCore

/// A call: where it stands, how it goes, and the end that the user may put to it.
@MainActor package final class CallViewModel: ViewModel {
    package struct State: Equatable, Sendable {
        package var peer: String?
        package var call: CallState
        /// Of the attempt that lives, counted from one.
        package var attempt = 1
        /// The candidate pair in use, such as `host→host`.
        package var path: String?
        /// Milliseconds from `call.started`.
        package var firstPicture: Int?
        package var statistics: CallStatistics?
        package var controls: CallControls
        /// Set once the call is over.
        package var summary: CallSummary?

        /// Where it stands, for people.
        package var sentence: String {
            if let summary { return summary.message }
            guard call == .connected else { return call.sentence }
            let picture = firstPicture.map { ", first picture after \($0) ms" } ?? ""
            return "connected\(path.map { " \($0)" } ?? "")\(picture)"
        }
    }

    package enum Action: Hashable, Sendable {
        case hangUp, accept, decline
        /// Hangs up and leaves the room.
        case leave
        case setMuted(Bool), setCameraOff(Bool)
    }

    package nonisolated let store: StateStore<State>
    private let inputs: AsyncStream<RoomInput>.Continuation

    init(
        peer: String?,
        call: CallState,
        controls: CallControls,
        inputs: AsyncStream<RoomInput>.Continuation
    ) {
        self.inputs = inputs
        store = StateStore(State(peer: peer, call: call, controls: controls))
    }

    package nonisolated func send(_ action: Action) {
        let command: CallCommand =
            switch action {
            case .hangUp: .hangUp
            case .accept: .accept
            case .decline: .decline
            case .leave: .leave
            case .setMuted(let isMuted): .setMuted(isMuted)
            case .setCameraOff(let isOff): .setCameraOff(isOff)
            }
        store.update { $0.controls.apply(command) }
        inputs.yield(.command(command))
    }

    func show(_ report: CallReport) {
        store.update { state in
            switch report {
            case .started(_, let attempt, _):
                state.attempt = attempt
                state.path = nil
                state.firstPicture = nil
            case .state(let call): state.call = call
            case .iceSelected(let local, let remote, _): state.path = "\(local)→\(remote)"
            case .firstFrame(.video, let milliseconds):
                state.firstPicture = state.firstPicture ?? milliseconds
            case .statistics(let statistics): state.statistics = statistics
            case .ended(let summary):
                state.summary = summary
                state.peer = summary.peer ?? state.peer
            case .firstFrame(.audio, _), .sdpSent, .sdpReceived, .mediaConnected: break
            }
        }
    }
}
