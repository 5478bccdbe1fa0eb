import Basics
import CallCore
import CallTesting
import Testing

@testable import AppFlow

@Suite("Controls of the user's own media")
@MainActor
struct MediaControlsTests {
    /// A media service whose microphone takes until `finish()` to be switched.
    private final class SlowMedia: MediaService {
        let switched = StateStore<[Bool]>([])
        private let (gate, opening) = AsyncStream.makeStream(of: Void.self)

        func finish() { opening.finish() }
        func setMuted(_ isMuted: Bool) async {
            switched.update { $0.append(isMuted) }
            for await _ in gate {}
        }
        func setCameraOff(_ isOff: Bool) async {}
        func startRecording(
            to path: String?,
            sides: Set<MediaSide>?
        ) async throws(MediaRefusal) -> String { "call.mkv" }
        func stopRecording() async throws(MediaRefusal) {}
        func prepare() async throws {}
        func makeSession(role: Role, iceServers: [ICEServer]) async throws -> any MediaSession {
            throw CallMediaFailure.noAddress("no session")
        }
    }

    @Test("A change made while the media service is busy is applied and reported afterwards")
    func busy() async {
        let (controls, media) = (MediaControls(volume: 100), SlowMedia())
        await controls.connect(media)
        let told = StateStore<[OwnMedia.Change]>([])
        await withTaskGroup { group in
            group.addTask { await controls.follow { change in told.update { $0.append(change) } } }
            for await state in told.states where state.count == 2 { break }
            controls.perform(.setMuted(true))
            for await state in media.switched.states where !state.isEmpty { break }
            controls.perform(.setMuted(false))
            controls.perform(.setCameraOff(true))
            media.finish()
            for await state in told.states where state.contains(.isCameraOff(true)) { break }
            group.cancelAll()
        }
        #expect(media.switched.state == [true, false])
        #expect(told.state.prefix(2) == [.isMuted(false), .isCameraOff(false)])
        #expect(told.state.filter { if case .isMuted = $0 { true } else { false } }.last == .isMuted(false))
    }

    @Test("A recording is shown as soon as its command succeeds, before the media service reports it")
    func recording() async throws {
        let (controls, media) = (MediaControls(volume: 100), SlowMedia())
        await controls.connect(media)
        _ = try await controls.carryOut(.startRecording(path: nil, sides: nil))
        #expect(controls.state.recording == "call.mkv")
        _ = try await controls.carryOut(.stopRecording)
        #expect(controls.state.recording == nil)
    }

    @Test("A media service gets the mute state when it connects, and no changes after it disconnects")
    func before() async {
        let (controls, media) = (MediaControls(volume: 100), SlowMedia())
        media.finish()
        controls.perform(.setMuted(true))
        await controls.connect(media)
        #expect(media.switched.state == [true])
        controls.disconnect()
        controls.perform(.setMuted(false))
        #expect(!controls.state.isMuted && media.switched.state == [true])
        controls.reset()
        #expect(controls.state == CallControls(volume: 100))
    }
}
