import Basics
import CallCore
import LiveCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests.PhotographTests {
    @Test(
        "A snapshot of pages with the mini player is saved",
        arguments: [(480, 640, 1.0), (480, 854, 1), (480, 854, 2), (960, 640, 1)]
    )
    func miniPlayer(width: Int, height: Int, scale: Double) async throws {
        let player = LivePlayer(NoStreams(), options: LiveOptions(audio: LiveAudio(isMuted: true)))
        let bench = try await ScreenBench(width: width, height: height, hasBar: true, player: player)
        player.playback.update { $0.address = .file("/videos/one.mp4") }
        ScreenBench.play(player, isLive: false)
        bench.settings.send(.setTextScale(scale))
        let room = try await bench.room { state in
            (state.connection, state.start) = (.connected, .call)
            state.peer = Participant(username: "Bob", role: .callee)
        }
        bench.show(.room(room))
        SolidFrame.red.sized(640, 360).show(on: bench.window.liveSink)
        bench.window.hasNewPicture = true
        bench.window.redrawIfNeeded()
        try save(bench, as: "mini-room-\(width)-\(height)-\(scale)")
        room.store.update { $0.returnReason = .callMissed("Bob") }
        try save(bench, as: "mini-room-notice-\(width)-\(height)-\(scale)")
        bench.show(.login(await bench.login()))
        try save(bench, as: "mini-login-\(width)-\(height)-\(scale)")
    }
}
