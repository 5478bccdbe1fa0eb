import Basics
import LiveCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

/// A service that opens no stream.
struct NoStreams: LiveStreamService {
    func open(_ address: LiveAddress, _ options: LiveOptions) async throws -> any LiveStream {
        throw LiveFailure(.unreachable, "the server was not reached")
    }
}

extension ScreenBench {
    /// Shows the screen of a stream and returns its player, which does not run.
    func showLive(quit: @escaping @Sendable () -> Void = {}) -> LivePlayer {
        let player = LivePlayer(NoStreams())
        player.playback.update { playback in
            playback.address = .url("https://stream.example.org/demo.m3u8?token=secret")
            playback.state = .loading
        }
        show(.live(LiveViewModel(player, quit: quit)))
        return player
    }

    nonisolated static func play(_ player: LivePlayer, isLive: Bool = true) {
        player.playback.update { playback in
            playback.state = .playing
            let size = Resolution(width: 640, height: 360)
            playback.format = LiveFormat(resolution: size, codec: "H264", isLive: isLive)
            playback.progress = LiveProgress(position: .seconds(83), duration: .seconds(600))
        }
    }
}

extension CallWindowTests {
    @Suite("The screen of a stream")
    @WindowActor struct LiveScreenTests {
        private let bench: ScreenBench

        init() async throws {
            bench = try await ScreenBench(width: 960, height: 540)
        }

        private var places: [ControlID: Box] { bench.window.screenHost.ui.places }

        private func settleAwake() {
            bench.isAwake = true
            bench.settle()
        }

        @Test("The video fills the window, and the controls are hidden while the pointer rests")
        func video() throws {
            let player = bench.showLive()
            ScreenBench.play(player)
            SolidFrame.red.sized(640, 360).show(on: bench.window.sink)
            bench.window.redrawIfNeeded()
            bench.settle()
            let snapshot = try #require(bench.window.snapshot())
            #expect(snapshot.isNear(255, 0, 0, x: 480, y: 270))
            #expect(snapshot.isNear(255, 0, 0, x: 480, y: 490), "the bar is shown")
            #expect(!bench.window.screenHost.showsPointer)
            settleAwake()
            #expect(try !#require(bench.window.snapshot()).isNear(255, 0, 0, x: 480, y: 490))
            #expect(bench.window.screenHost.showsPointer)
        }

        @Test(
            "The window title contains the stream's name without its token, and its state unless it is playing"
        )
        func title() {
            let player = bench.showLive()
            #expect(bench.window.screenHost.title?.parts == ["demo.m3u8", "Loading …"])
            ScreenBench.play(player)
            bench.settle()
            #expect(bench.window.screenHost.title?.parts == ["demo.m3u8", ""])
            player.playback.update {
                $0.state = .offline(LiveFailure(.unreachable, "x"), retryIn: .seconds(1))
            }
            bench.settle()
            #expect(bench.window.screenHost.title?.parts == ["demo.m3u8", "No connection"])
        }

        @Test("The live-edge button is shown only while a live stream is delayed or paused")
        func liveEdge() {
            let player = bench.showLive()
            ScreenBench.play(player)
            settleAwake()
            #expect(places["live.edge"] == nil)
            player.playback.update { $0.progress.behind = .seconds(9) }
            settleAwake()
            #expect(places["live.edge"] != nil)
            player.playback.update { $0.progress.behind = .seconds(2) }
            settleAwake()
            #expect(places["live.edge"] == nil)
            player.playback.update { $0.state = .paused }
            settleAwake()
            #expect(places["live.edge"] != nil)
            ScreenBench.play(player, isLive: false)
            player.playback.update { $0.state = .paused }
            settleAwake()
            #expect(places["live.edge"] == nil)
        }

        @Test("A lost or ended stream shows a button to open it again")
        func retry() {
            let player = bench.showLive()
            ScreenBench.play(player)
            let failure = LiveFailure(.unreachable, "the server was not reached")
            for state in [
                LiveState.offline(failure, retryIn: .seconds(2)), .notLive(failure), .failed(failure), .ended,
            ] {
                player.playback.update { $0.state = state }
                settleAwake()
                #expect(places["live.retry"] != nil, "\(state.name)")
            }
            for state in [LiveState.playing, .paused, .buffering, .loading, .offline(failure, retryIn: nil)] {
                player.playback.update { $0.state = state }
                settleAwake()
                #expect(places["live.retry"] == nil, "\(state.name)")
            }
        }

        @Test("Keys and buttons pause, mute and change the volume")
        func commands() async {
            let player = bench.showLive()
            async let run: Void = player.run()
            player.send(.select(.file("film.mp4")))
            func wait(_ condition: (LivePlayback) -> Bool) async {
                for await playback in player.playback.states where condition(playback) { return }
            }
            await wait { if case .failed = $0.state { true } else { false } }
            settleAwake()
            bench.window.screenHost.press(.m)
            await wait { $0.options.audio.isMuted }
            settleAwake()
            bench.click("live.sound")
            await wait { !$0.options.audio.isMuted }
            bench.window.screenHost.press(.minus)
            await wait { $0.options.audio.volume == 90 }
            bench.press(.space)
            await wait { !$0.options.isPaused }
            player.finish()
            await run
        }

        @Test("Q and Esc end the playback")
        func quitting() async {
            let (quits, quit) = AsyncStream.makeStream(of: Void.self)
            _ = bench.showLive { quit.yield() }
            bench.window.screenHost.press(.q)
            bench.window.screenHost.press(.escape)
            quit.finish()
            var count = 0
            for await _ in quits { count += 1 }
            #expect(count == 2)
            #expect(!bench.window.screenHost.accepts(.shortcut(.v)))
        }
    }
}
