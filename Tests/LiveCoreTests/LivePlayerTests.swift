import Basics
import CallTesting
import LiveCore
import Testing

@Suite("The driver of a player", .timeLimit(.minutes(4)))
struct LivePlayerTests {
    private static let address = LiveAddress.url("http://h/a.m3u8")
    private static let film = LiveFormat(resolution: nil, codec: "AAC", isLive: false)

    private let clock = ManualClock()
    private let streams = FakeStreams()

    /// Runs a player while `body` runs.
    private func withPlayer(
        _ body: (LivePlayer) async -> Void
    ) async {
        let player = LivePlayer(streams, clock: clock)
        await withDiscardingTaskGroup { group in
            group.addTask { await player.run() }
            await body(player)
            player.finish()
        }
    }

    private func nextCall() async -> FakeStreams.Call? {
        for await call in streams.calls { return call }
        return nil
    }

    private func next(_ player: LivePlayer) async -> LiveEvent? {
        for await event in player.events { return event }
        return nil
    }

    private func wait(for player: LivePlayer, _ condition: (LiveState) -> Bool) async {
        for await playback in player.playback.states where condition(playback.state) { return }
    }

    @Test("A selected stream is opened, receives its options, and is closed at the end")
    func course() async {
        await withPlayer { player in
            player.send(.select(Self.address))
            #expect(await nextCall() == .open(Self.address, LiveOptions()))
            #expect(await nextCall() == .apply(LiveOptions()))
            streams.send(.started(Self.film))
            await wait(for: player) { $0 == .playing }
            player.send(.pause)
            #expect(await nextCall() == .apply(LiveOptions(isPaused: true)))
            await wait(for: player) { $0 == .paused }
        }
        #expect(await nextCall() == .close)
    }

    @Test("A stream is closed before the next one is opened")
    func order() async {
        let other = LiveAddress.file("b.mp4")
        await withPlayer { player in
            player.send(.select(Self.address))
            #expect(await nextCall() == .open(Self.address, LiveOptions()))
            #expect(await nextCall() == .apply(LiveOptions()))
            player.send(.select(other))
            #expect(await nextCall() == .close)
            #expect(await nextCall() == .open(other, LiveOptions()))
        }
    }

    @Test("A stream that cannot be opened is retried after one second")
    func retry() async {
        streams.refuse(LiveFailure(.unreachable, "x"))
        await withPlayer { player in
            player.send(.select(Self.address))
            #expect(await nextCall() == .open(Self.address, LiveOptions()))
            await wait(for: player) { if case .offline(_, retryIn: .seconds(1)) = $0 { true } else { false } }
            // The deadline of the first frame and that of the retry.
            while clock.sleepers < 2 { await Task.yield() }
            clock.advance(by: .seconds(1))
            #expect(await nextCall() == .open(Self.address, LiveOptions()))
        }
    }

    @Test("A stream that stalls repeatedly leaves no deadlines behind")
    func stalls() async {
        await withPlayer { player in
            player.send(.select(Self.address))
            #expect(await nextCall() == .open(Self.address, LiveOptions()))
            #expect(await nextCall() == .apply(LiveOptions()))
            streams.send(.started(Self.film))
            for _ in 0..<50 {
                streams.send(.stalled)
                await wait(for: player) { $0 == .buffering }
                streams.send(.resumed)
                await wait(for: player) { $0 == .playing }
            }
            // At most one of each kind: the first frame, the stall, and playing steadily.
            while clock.sleepers > 3 { await Task.yield() }
        }
    }

    @Test("The events are delivered in order and end with the player")
    func events() async {
        let player = LivePlayer(streams, clock: clock)
        async let run: Void = player.run()
        player.send(.select(Self.address))
        #expect(await next(player) == .loading(Self.address))
        #expect(await nextCall() == .open(Self.address, LiveOptions()))
        #expect(await nextCall() == .apply(LiveOptions()))
        streams.send(.started(Self.film))
        #expect(await next(player) == .playing(Self.film, latency: nil))
        streams.send(.ended)
        #expect(await next(player) == .ended)
        player.finish()
        #expect(await next(player) == nil)
        await run
    }
}
