import SocketIO
import SocketIOClient
import Testing

@Suite("Upgrade from polling to WebSocket", .timeLimit(.minutes(4)))
struct UpgradeTests {
    private let server: ScriptedServer
    private let clock = ScriptedClock()
    private var polling: ScriptedPolling { server.polling }

    init() async throws { server = try await ScriptedServer() }

    /// Runs `body` with a socket that joined over polling, its pending GET, and the probe WebSocket.
    private func withProbe(_ body: (Socket, ScriptedRequest, ScriptedSocket) async throws -> Void)
        async throws
    {
        var configuration = try server.configuration()
        configuration.transports = .pollingFirst
        configuration.clock = clock
        try await SocketIOClient(configuration).withSocket { socket in
            let get = try await polling.welcome(upgrades: #""websocket""#)
            let probe = try await server.accept()
            #expect(probe.query == "EIO=4&transport=websocket&sid=engine")
            #expect(await probe.next() == "2probe")
            #expect(await socket.next() == "connecting 1")
            #expect(await socket.next() == "connected s1 polling")
            do {
                try await body(socket, get, probe)
            } catch {
                await polling.acceptClosing()
                throw error
            }
            await polling.acceptClosing()
        }
    }

    /// Answers the probe with a pong, and answers GETs with a noop until `body` returns.
    private func letPass(
        _ probe: ScriptedSocket,
        _ get: ScriptedRequest,
        _ body: () async throws -> Void
    ) async throws {
        await probe.send("3probe")
        await polling.giveWay(true)
        await get.answer("6")
        try await body()
        await polling.giveWay(false)
    }

    @Test("The WebSocket takes over once polling is paused")
    func upgrade() async throws {
        try await withProbe { socket, get, probe in
            try await socket.emit("before")
            #expect(try await polling.takePost() == #"42["before"]"#)
            try await letPass(probe, get) { #expect(await probe.next() == "5") }
            #expect(await socket.next() == "upgraded websocket")
            await probe.send("6")
            await probe.send(#"42["news"]"#)
            #expect(await socket.next() == "news []")
            try await socket.emit("after")
            #expect(await probe.next() == #"42["after"]"#)
            await probe.send("2")
            #expect(await probe.next() == "3")
        }
        #expect(await [polling.maximumGets, polling.maximumPosts] == [1, 1])
    }

    @Test("The upgrade waits for a pending POST")
    func waitsForPost() async throws {
        try await withProbe { socket, get, probe in
            try await socket.emit("posted")
            let post = try await polling.nextPost()
            try await letPass(probe, get) {
                await post.answer("ok")
                #expect(await probe.next() == "5")
            }
            #expect(await socket.next() == "upgraded websocket")
        }
    }

    @Test("A wrong answer to the probe ends the upgrade, and polling continues", arguments: ["3", "4x", "1"])
    func wrongAnswer(_ answer: String) async throws {
        try await withProbe { socket, get, probe in
            await probe.send(answer)
            #expect(await probe.next()?.hasPrefix("closed") == true)
            try await expectPolling(socket, get)
        }
    }

    @Test("A probe WebSocket lost before its answer ends the upgrade, and polling continues")
    func lostProbe() async throws {
        try await withProbe { socket, get, probe in
            await probe.drop()
            try await expectPolling(socket, get)
        }
    }

    @Test("A probe without an answer is closed after 10 s, and polling continues")
    func silentProbe() async throws {
        try await withProbe { socket, get, probe in
            await clock.finishSleep(of: .seconds(10))
            #expect(await probe.next()?.hasPrefix("closed") == true)
            try await expectPolling(socket, get)
        }
    }

    @Test("Polling that cannot be paused within 10 s continues and sends the queued packets")
    func stuckPolling() async throws {
        try await withProbe { socket, get, probe in
            try await socket.emit("first")
            let post = try await polling.nextPost()
            try await letPass(probe, get) {
                try await socket.emit("held")
                await clock.finishSleep(of: .seconds(10))
                #expect(await probe.next()?.hasPrefix("closed") == true)
                await post.answer("ok")
                #expect(try await polling.takePost() == #"42["held"]"#)
            }
            try await expectPolling(socket, polling.nextGet())
        }
    }

    @Test("A refused probe WebSocket ends the upgrade, and polling continues")
    func refusedProbe() async throws {
        await server.polling.refuseWebSockets(status: 400)
        let configuration = try server.configuration()
        try await SocketIOClient(configuration).withSocket { socket in
            let get = try await polling.welcome(upgrades: #""websocket""#)
            #expect(await socket.next() == "connecting 1")
            #expect(await socket.next() == "connected s1 polling")
            try await expectPolling(socket, get)
        }
    }

    private func expectPolling(_ socket: Socket, _ get: ScriptedRequest) async throws {
        await get.answer(#"42["still"]"#)
        #expect(await socket.next() == "still []")
        try await socket.emit("here")
        #expect(try await polling.takePost() == #"42["here"]"#)
    }

    @Test("A server that stops during the upgrade is reported as a lost connection")
    func serverDies() async throws {
        try await withProbe { socket, get, probe in
            await probe.send("3probe")
            await probe.drop()
            await server.stop()
            #expect(await socket.next() == "transport error, retrying")
        }
    }

    @Test("A WebSocket lost right after the upgrade is reported as a lost connection")
    func lostAfterwards() async throws {
        try await withProbe { socket, get, probe in
            try await letPass(probe, get) { #expect(await probe.next() == "5") }
            await probe.drop()
            #expect(await socket.next() == "upgraded websocket")
            #expect(await socket.next() == "transport close, retrying")
        }
    }

    @Test("A client that allows only polling ignores an offered upgrade")
    func forced() async throws {
        var configuration = try server.configuration()
        configuration.transports = .polling
        try await SocketIOClient(configuration).withSocket { socket in
            let get = try await polling.welcome(upgrades: #""websocket""#)
            #expect(await socket.next() == "connecting 1")
            #expect(await socket.next() == "connected s1 polling")
            try await expectPolling(socket, get)
        }
    }
}
