package import Basics
package import CallCore
internal import Synchronization

/// A fake media service: it creates valid session descriptions, but sends no packets.
package final class FakeMedia: MediaService {
    /// The behavior of one session.
    package struct Script: Sendable {
        package enum Step: Hashable, Sendable {
            case works
            case fails(CallMediaFailure)
            /// The step waits until its task is cancelled.
            case hangs
        }

        package var makes = Step.works
        package var offers = Step.works
        package var answers = Step.works
        package var applies = Step.works
        /// Whether media connects once both session descriptions are known.
        package var connects = true
        /// The failure that the session reports when it knows its peer's description; nil for none.
        package var failure: CallMediaFailure?
        /// The duration of each step.
        package var delay = Duration.zero

        package init() {}
    }

    private struct State {
        var made = 0
        var open: Set<Int> = []
        var isMuted = false
        var isCameraOff = false
        var recording: String?
        var recorded = 0
        var use: DeviceUse
    }

    package let name: String
    package let network: FakeNetwork
    private let clock: any Clock<Duration>
    private let preparation: Script.Step
    private let script: @Sendable (Int) -> Script
    private let state: Mutex<State>
    private let present: [MediaDevice]
    package let recordingPaths: AsyncStream<String?>
    private let recordingPathInput: AsyncStream<String?>.Continuation
    package let ownMedia: AsyncStream<OwnMedia.Change>
    private let ownMediaInput: AsyncStream<OwnMedia.Change>.Continuation

    /// Creates a media service whose sessions follow a script.
    ///
    /// `script` returns the behavior of a session by its number, counted from 1. `devices` are the connected
    /// devices, and `use` is their initial use.
    package init(
        name: String,
        network: FakeNetwork,
        clock: any Clock<Duration>,
        preparation: Script.Step = .works,
        devices: [MediaDevice] = [],
        use: DeviceUse = DeviceUse(),
        script: @escaping @Sendable (Int) -> Script = { _ in Script() }
    ) {
        present = devices
        state = Mutex(State(use: use))
        self.name = name
        self.network = network
        self.clock = clock
        self.preparation = preparation
        self.script = script
        (recordingPaths, recordingPathInput) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        recordingPathInput.yield(nil)
        (ownMedia, ownMediaInput) = AsyncStream.makeStream()
    }

    package var made: Int { state.withLock { $0.made } }
    package var open: Int { state.withLock { $0.open.count } }
    package var isMuted: Bool { state.withLock { $0.isMuted } }
    package var isCameraOff: Bool { state.withLock { $0.isCameraOff } }

    package func prepare() async throws {
        try await perform(preparation, .zero)
    }

    package func makeSession(role: Role, iceServers: [ICEServer]) async throws -> any MediaSession {
        let number = state.withLock { state in
            state.made += 1
            return state.made
        }
        let script = script(number)
        try await perform(script.makes, script.delay)
        state.withLock { _ = $0.open.insert(number) }
        return FakeSession(media: self, number: number, script: script)
    }

    package func setMuted(_ isMuted: Bool) async { state.withLock { $0.isMuted = isMuted } }
    package func setCameraOff(_ isOff: Bool) async { state.withLock { $0.isCameraOff = isOff } }

    package func devices() async -> [MediaDevice] { present }
    package func deviceUse() async -> DeviceUse { state.withLock(\.use) }

    package func select(
        _ device: String,
        as kind: MediaDevice.Kind
    ) async throws(MediaRefusal) -> String {
        let standard = MediaDevice(kind, id: MediaDevice.standard, name: MediaDevice.standard)
        let known = present.filter { $0.kind == kind } + [standard]
        guard let found = known.first(where: { $0.id == device }) else {
            throw MediaRefusal(.noDevice, "“\(device)” is not a device")
        }
        state.withLock { state in
            state.use.used.removeAll { $0.kind == kind }
            state.use.used.append(found)
        }
        return found.name
    }

    package func callEnded() async { _ = setRecording(nil) }

    package func startRecording(
        to path: String?,
        sides: Set<MediaSide>?
    ) async throws(MediaRefusal) -> String {
        let number = state.withLock { state in
            if state.recording == nil { state.recorded += 1 }
            return state.recording == nil ? state.recorded : nil
        }
        guard let number else { throw MediaRefusal(.alreadyRecording, "the call is being recorded already") }
        let path = path ?? "\(number).mkv"
        _ = setRecording(path)
        return path
    }

    package func stopRecording() async throws(MediaRefusal) {
        guard setRecording(nil) != nil else { throw MediaRefusal(.notRecording, "nothing is being recorded") }
    }

    /// Sets the path of the recording.
    ///
    /// - Returns: the previous path.
    private func setRecording(_ path: String?) -> String? {
        let before = state.withLock { state in
            defer { state.recording = path }
            return state.recording
        }
        recordingPathInput.yield(path)
        ownMediaInput.yield(.recordsPeer(path != nil))
        return before
    }

    func closed(_ number: Int) {
        state.withLock { _ = $0.open.remove(number) }
    }

    func perform(_ step: Script.Step, _ delay: Duration) async throws {
        if delay > .zero { try await clock.sleep(for: delay) }
        switch step {
        case .works: break
        case .fails(let failure): throw failure
        case .hangs:
            for await _ in AsyncStream<Never>.makeStream().stream {}
            throw CancellationError()
        }
    }
}
