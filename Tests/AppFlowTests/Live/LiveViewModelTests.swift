import AppFlow
import Basics
import LiveCore
import Testing

@Suite("The view model of a stream")
struct LiveViewModelTests {
    /// A player that is not run, with the stream that it shows.
    private static func player(_ state: LiveState, paused: Bool = false) -> LivePlayer {
        let player = LivePlayer(
            SteadyStreams(),
            options: LiveOptions(audio: LiveAudio(volume: 100), isPaused: paused)
        )
        player.playback.update { playback in
            playback.address = .url("https://u:p@example.org/live/news.m3u8?token=secret")
            playback.state = state
        }
        return player
    }

    @Test("The shown name is the last part of the URL or path, without secrets")
    func name() {
        let player = Self.player(.playing)
        #expect(player.playback.state.name == "news.m3u8")
        player.playback.update { $0.address = .file("/videos/one.mp4") }
        #expect(player.playback.state.name == "one.mp4")
        player.playback.update { $0.address = nil }
        #expect(player.playback.state.name.isEmpty)
    }

    @Test(
        "Each playback state determines whether the stream can be paused and whether its last frame is frozen"
    )
    func states() {
        let failure = LiveFailure(.unreachable, "x")
        let states: [(LiveState, canPause: Bool, isStill: Bool)] = [
            (.empty, false, false), (.loading, true, false), (.playing, true, false), (.paused, false, false),
            (.buffering, true, true), (.offline(failure, retryIn: nil), false, true),
            (.notLive(failure), false, true), (.ended, false, true), (.failed(failure), false, true),
        ]
        for (state, canPause, isStill) in states {
            let playback = Self.player(state).playback.state
            #expect(playback.canPause == canPause, "\(state)")
            #expect(playback.isStill == isStill, "\(state)")
        }
        #expect(!Self.player(.loading, paused: true).playback.state.canPause)
    }

    @Test("Keys control the audio, and Q and Esc end a stream that has a window of its own")
    func keys() async {
        let player = LivePlayer(SteadyStreams(), options: LiveOptions(audio: LiveAudio(volume: 100)))
        let ended = StateStore(0)
        let model = LiveViewModel(player) { ended.update { $0 += 1 } }
        async let running: Void = player.run()
        model.press(.m)
        for await playback in player.playback.states where playback.options.audio.isMuted { break }
        model.press(.plus)
        for await playback in player.playback.states where !playback.options.audio.isMuted { break }
        #expect(player.playback.state.options.audio.volume > 100)
        model.press(.minus)
        for await playback in player.playback.states where playback.options.audio.volume == 100 { break }
        model.play(.url("https://example.org/a.m3u8"))
        for await playback in player.playback.states where playback.state == .playing { break }
        model.togglePause()
        for await playback in player.playback.states where playback.state == .paused { break }
        model.togglePause()
        for await playback in player.playback.states where playback.state == .playing { break }
        model.press(.v)
        model.press(.p)
        #expect(!model.isSmall.state)
        model.press(.q)
        model.press(.escape)
        #expect(ended.state == 2)
        player.finish()
        await running
    }
}
