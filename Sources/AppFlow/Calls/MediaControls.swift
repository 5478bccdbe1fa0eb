internal import Basics
internal import CallCore

/// The user's controls for calls: microphone, camera, volume and recording.
///
/// Nothing else mutes the microphone, turns off the camera or sets the volume of the media service.
///
/// The state persists across calls and sessions in a room.
@MainActor package final class MediaControls {
    private nonisolated let store: StateStore<CallControls>
    /// The media service of the current session in the room.
    private var service: (any MediaService)?
    /// The state that was last applied to the media service; nil if none has been applied yet.
    private var applied: CallControls?
    /// The number of recording paths that the media service has reported.
    private var reportedPaths = 0

    init(volume: Int) { store = StateStore(CallControls(volume: volume)) }

    package nonisolated var state: CallControls { store.state }

    /// A stream of the current state and each state that follows; it supports any number of readers.
    nonisolated var states: AsyncStream<CallControls> { store.states }

    /// Mutes, unmutes, switches the camera off or on, or changes the volume, in the running call and all later
    /// ones.
    ///
    /// - Returns: whether the command is one of these.
    @discardableResult nonisolated func perform(_ command: CallsCommand) -> Bool {
        guard command.isForControls else { return false }
        store.update { $0.apply(command) }
        return true
    }

    /// Switches microphone and camera on, for the next user.
    nonisolated func reset() { store.update { $0 = CallControls(volume: $0.volume) } }

    // MARK: The media service

    /// Uses `service` until `disconnect()` is called.
    ///
    /// If the user has muted the microphone or turned off the camera, this applies from the first packet on.
    func connect(_ service: any MediaService) async {
        self.service = service
        applied = nil
        await apply(state)
    }

    func disconnect() {
        service = nil
        store.update { $0.recording = nil }
    }

    /// Applies each change to the media service, in order, until the task is cancelled.
    ///
    /// `inform` receives the changes to report to the peer: the first state, and each change that has been
    /// applied.
    func follow(_ inform: (OwnMedia.Change) -> Void) async {
        async let recorded: Void = followRecording()
        var told: CallControls?
        for await state in states {
            await apply(state)
            if told?.isMuted != state.isMuted { inform(.isMuted(state.isMuted)) }
            if told?.isCameraOff != state.isCameraOff { inform(.isCameraOff(state.isCameraOff)) }
            told = state
        }
        await recorded
    }

    private func followRecording() async {
        guard let service else { return }
        for await path in service.recordingPaths {
            reportedPaths += 1
            store.update { $0.recording = path }
        }
    }

    /// Shows the path of a recording that a command has started or stopped, before the media service reports
    /// it.
    ///
    /// If the service has reported a path since the command was sent, only its reports count, because they may
    /// be newer.
    private func show(recording path: String?, sentAfter reported: Int) {
        if service != nil, reportedPaths == reported { store.update { $0.recording = path } }
    }

    private func apply(_ state: CallControls) async {
        guard let service else { return }
        let before = applied
        applied = state
        if state.isMuted != before?.isMuted ?? false { await service.setMuted(state.isMuted) }
        if state.isCameraOff != before?.isCameraOff ?? false { await service.setCameraOff(state.isCameraOff) }
        if state.volume != before?.volume { await service.setVolume(state.volume) }
    }

    /// Performs a command that waits for a disk or a device.
    ///
    /// - Throws: `ControlRefusal`, whose code is `no-call` or the raw value of a `MediaRefusal.Reason`.
    func carryOut(_ command: CallsCommand) async throws(ControlRefusal) -> ControlAnswer {
        guard let service else { throw .noCall }
        let reported = reportedPaths
        do throws(MediaRefusal) {
            switch command {
            case .startRecording(let path, let sides):
                let started = try await service.startRecording(to: path, sides: sides)
                show(recording: started, sentAfter: reported)
                return .file(started)
            case .takeSnapshot(let path): return .file(try await service.takeSnapshot(to: path))
            case .stopRecording:
                try await service.stopRecording()
                show(recording: nil, sentAfter: reported)
            case .select(let device, let kind): return .device(try await service.select(device, as: kind))
            default: break
            }
            return .done
        } catch { throw ControlRefusal(error) }
    }

    /// Lists the devices that are connected now; empty outside a session in a room.
    func devices() async -> [MediaDevice] { await service?.devices() ?? [] }

    /// Lists the devices that calls use now.
    func deviceUse() async -> DeviceUse { await service?.deviceUse() ?? DeviceUse() }
}
