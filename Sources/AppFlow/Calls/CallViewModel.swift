package import Basics
package import CallCore

/// The view model of a call: its state, its statistics and the actions of the user.
@MainActor package final class CallViewModel: ViewModel {
    package struct State: Equatable, Sendable {
        package var peer: String?
        package var call: CallState
        /// The number of the running attempt, counted from one.
        package var attempt = 1
        /// The selected candidate pair, such as `host→host`.
        package var path: String?
        /// The time of the first video frame in milliseconds from `call.started`.
        package var firstFrame: Int?
        /// The time at which media first flowed.
        package var heldSince: ContinuousClock.Instant?
        package var statistics: CallStatistics?
        /// The media state that the peer has sent; nil if it sends none.
        package var peerMedia: MediaState?
        package var controls: CallControls
        package var source: SourceCaption?
        /// Whether the source provides video that may be sent.
        package var hasOwnVideo = true
        /// Whether the call is made in the app, where q and Esc hang up; on a command line they end the run.
        package var isManaged = false
        /// Whether the peer is the caller and we answer.
        package var isIncoming = false
        /// The result of the last recording, snapshot or similar request.
        package var notice: SavedNotice?
        package var devices = DeviceChoice()
        /// The result of the call, set once it is over.
        package var summary: CallSummary?

        fileprivate mutating func show(_ content: SavedNotice.Content) {
            notice = SavedNotice(content: content, number: (notice?.number ?? 0) + 1)
        }

        /// Whether the user has to answer an incoming call.
        package var isAsked: Bool { isIncoming && call == .ringing && summary == nil }

        /// The command that starts or stops the user's recording of both sides.
        package var recordingCommand: CallsCommand {
            controls.recording == nil ? .startRecording(path: nil, sides: nil) : .stopRecording
        }

        /// The state of the call, as text for people.
        package var sentence: String {
            if let summary { return summary.message }
            guard call == .connected else { return call.sentence }
            let frame = firstFrame.map { ", first frame after \($0) ms" } ?? ""
            return "connected\(path.map { " \($0)" } ?? "")\(frame)"
        }
    }

    package nonisolated let store: StateStore<State>
    private let router: CommandRouter
    private let order: @Sendable (CallsCommand, CallViewModel) -> Void

    /// Creates a view model that sends commands to `router`.
    ///
    /// `order` receives the commands that need the disk or a device; the state shows their results.
    init(
        _ state: State,
        router: CommandRouter,
        order: @escaping @Sendable (CallsCommand, CallViewModel) -> Void = { _, _ in }
    ) {
        (self.router, self.order) = (router, order)
        store = StateStore(state)
    }

    package nonisolated func send(_ command: CallsCommand) {
        switch command {
        case .setMuted, .setCameraOff:
            store.update { $0.controls.apply(command) }
            router.send(command)
        case .select(let id, let kind):
            guard store.state.devices.chosen(kind) != id, store.state.devices.opening[kind] == nil else {
                return
            }
            store.update { state in
                state.devices.opening[kind] = id
                state.devices.refusals[kind] = nil
            }
            order(command, self)
        case .startRecording, .stopRecording, .takeSnapshot, .listDevices: order(command, self)
        case .call, .proceed, .setRole, .switchRole, .visit, .connect, .disconnect, .logout, .quit,
            .changeVolume,
            .status:
            router.send(command)
        }
    }

    /// Returns the command of a key in the current state, or nil if it has none.
    ///
    /// The window asks for a confirmation before it sends the command of Esc, except to decline a call.
    package nonisolated func command(of key: Shortcut) -> CallsCommand? {
        let state = store.state
        return switch key {
        case .m: .setMuted(!state.controls.isMuted)
        case .v: .setCameraOff(!state.controls.isCameraOff)
        case .plus, .minus: .changeVolume(isLouder: key == .plus)
        case .escape where state.isAsked: .decline
        case .q, .escape: state.isManaged ? .hangUp : .quit
        case .p: nil
        }
    }

    /// Shows the beginning of the call; if `peer` is nil, the name shown so far is kept.
    func begin(peer: String?, call: CallState) {
        store.update { state in
            state.peer = peer ?? state.peer
            state.call = call
        }
    }

    package func show(_ content: SavedNotice.Content) {
        store.update { $0.show(content) }
    }

    /// Shows the devices that are connected now.
    func show(_ present: [MediaDevice], _ use: DeviceUse) {
        store.update { state in
            state.devices.present = present
            state.devices.use = use
        }
    }

    /// Shows the result of selecting a device; `refusal` is nil if the device is in use now.
    func show(_ kind: MediaDevice.Kind, _ refusal: ControlRefusal?, _ use: DeviceUse) {
        store.update { state in
            state.devices.use = use
            state.devices.opening[kind] = nil
            state.devices.refusals[kind] = refusal
        }
    }

    func show(_ report: CallReport) {
        store.update { state in
            switch report {
            case .started(_, let attempt, _):
                state.attempt = attempt
                state.path = nil
                state.firstFrame = nil
                state.peerMedia = nil
            case .state(let call): state.call = call
            case .peer(let name): state.peer = name
            case .iceSelected(let local, let remote, _): state.path = "\(local)→\(remote)"
            case .mediaConnected: state.heldSince = state.heldSince ?? .now
            case .firstFrame(.video, let milliseconds):
                state.firstFrame = state.firstFrame ?? milliseconds
            case .statistics(let statistics): state.statistics = statistics
            case .peerMedia(let media): state.peerMedia = media.state
            case .peerUnaware: state.show(.unaware)
            case .ended(let summary):
                state.summary = summary
                state.peer = summary.peer ?? state.peer
            case .firstFrame(.audio, _), .sdpSent, .sdpReceived: break
            }
        }
    }
}
