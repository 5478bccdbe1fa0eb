import LiveMedia
import Testing

@Suite("The player of streams", .timeLimit(.minutes(4)))
struct StreamPlayerTests {
    private func makePlayer(_ address: String) async throws -> StreamPlayer {
        try await StreamPlayer(.init(address: address, pipelines: Media.library))
    }

    @Test("A live stream of the server can be played, paused and resumed")
    func live() async throws {
        let program = try #require(Media.program)
        try await SignalingServer.run(program, arguments: ["--live-file", Media.video]) { server in
            let player = try await makePlayer("\(server.url)/demo.m3u8")
            async let playing: Void = player.run()
            var (seen, isPaused) = (0, false)
            for await event in player.events {
                switch event {
                case .playing(let format):
                    #expect(format.isLive && format.width == 1280 && format.codec == "H264")
                    seen += 1
                    if seen == 1 { player.pause() } else { player.finish() }
                case .paused:
                    isPaused = true
                    player.play()
                default: break
                }
            }
            #expect(isPaused && seen == 2)
            await playing
        }
    }

    @Test("A file plays to its end, frame by frame")
    func file() async throws {
        let player = try await makePlayer(Media.video)
        async let playing: Void = player.run()
        async let count = player.frames.reduce(0) { count, frame in
            count
                + (frame.withPlanes { $0.count == 3 && $0[0].bytes.count >= frame.width * frame.height }
                    ? 1 : 0)
        }
        for await event in player.events where event == .ended { player.finish() }
        await playing
        #expect(await count > 100)
    }

    @Test("An unsupported address is refused, and a missing file fails with a reason and a hint")
    func refused() async throws {
        await #expect { _ = try await makePlayer("ftp://host/a") } throws: { error in
            (error as? StreamPlayer.Failure)?.reason == "invalid"
        }
        let player = try await makePlayer("/missing.mp4")
        async let playing: Void = player.run()
        for await event in player.events {
            if case .failed(let failure) = event {
                #expect(failure.reason == "file" && !failure.message.isEmpty && !failure.hint.isEmpty)
                player.finish()
            }
        }
        await playing
    }
}
