import Basics
import CallMedia
import LiveMedia
import SocketIOClient
import Testing

/// The examples of docs/embedding.md, word for word: `Tests/e2e/test_documentation.py` compares them.
@Suite("Examples in docs/embedding.md", .timeLimit(.minutes(4)))
struct ExampleTests {
    @Test(
        "The Socket.IO client receives an event when a user joins the room",
        .enabled(if: Media.program != nil, "callrunner is not built: run `make build` first")
    )
    func socket() async throws {
        try await SignalingServer.run(try #require(Media.program)) { signaling in
            async let greeting = Self.greetingForBob(at: signaling.url)
            try await Self.hearWhoJoins(at: signaling.url)
            #expect(try await greeting)
        }
    }

    private static func hearWhoJoins(at address: String) async throws {
        let server = try SocketConfiguration(
            url: address,
            query: ["roomId": "1", "username": "Ann", "isCaller": "true"]
        )
        try await SocketIOClient(server).withSocket { socket in
            for await event in socket.events {
                switch event {
                case .connected(_, let transport): print("joined over", transport)
                case .event("room_user_joined", let arguments, _):
                    print(arguments[0]["username"]?.stringValue ?? "somebody", "is here")
                    try await socket.emit("hello", ["from": "Ann"])
                    return
                case .refused(let message, _): return print("refused:", message)
                case .connectFailed(let failure, _): return print(failure)
                default: break
                }
            }
        }
    }

    /// Joins the room as Bob; returns true when an event `hello` is received.
    private static func greetingForBob(at address: String) async throws -> Bool {
        let server = try SocketConfiguration(
            url: address,
            query: ["roomId": "1", "username": "Bob", "isCaller": "false"]
        )
        return await SocketIOClient(server).withSocket { socket in
            for await case .event("hello", _, _) in socket.events { return true }
            return false
        }
    }

    @Test("A caller receives video from a callee in the same program")
    func peerConnections() async throws {
        let pipelines = Media.library
        let configuration = PeerConnection.Configuration(source: .pattern, pipelines: pipelines)
        let (caller, callee) = (
            try await PeerConnection(configuration), try await PeerConnection(configuration)
        )
        try await caller.apply(answer: callee.createAnswer(to: caller.createOffer()))
        async let atCallee: Void = {
            for await case .localCandidate(let candidate) in callee.events { await caller.add(candidate) }
        }()
        for await event in caller.events {
            if case .localCandidate(let candidate) = event { await callee.add(candidate) }
            if event == .firstFrame(.video) { break }
        }
        await caller.close()
        await callee.close()
        await atCallee
    }

    @Test("A connection delivers the peer's decoded video and audio")
    func decodedMedia() async throws {
        let pipelines = Media.library
        let peer = try await PeerConnection(.init(source: .pattern, pipelines: pipelines))
        let (connections, continuation) = AsyncStream.makeStream(of: PeerConnection.self)
        async let candidates: Void = {
            for await connection in connections { await Self.exchangeCandidates(connection, peer) }
        }()
        let connect = { (connection: PeerConnection) in
            try await connection.apply(answer: peer.createAnswer(to: connection.createOffer()))
            continuation.yield(connection)
            continuation.finish()
        }
        var configuration = PeerConnection.Configuration(source: .none, pipelines: pipelines)
        configuration.decodedKinds = [.video, .audio]
        let connection = try await PeerConnection(configuration)
        try await connect(connection)  // exchanges descriptions and candidates with the peer, as above
        async let volumes: Void = {
            for await buffer in connection.audioBuffers {
                print("volume", buffer.samples.map { Int($0).magnitude }.max() ?? 0)
            }
        }()
        for await frame in connection.videoFrames.prefix(25) {
            let luma = frame.withPlanes { planes in planes[0].bytes.prefix(frame.width).map(Int.init) }
            print("\(frame.width) × \(frame.height), first row", luma.reduce(0, +) / frame.width)
        }
        await connection.close()
        await volumes
        await peer.close()
        await candidates
    }

    @Test("A player delivers the frames of a stream and reports its events")
    func stream() async throws {
        let (address, pipelines) = (Media.video, Media.library)
        let player = try await StreamPlayer(.init(address: address, pipelines: pipelines))
        async let playing: Void = player.run()
        async let events: Void = {
            for await event in player.events {
                print(event)
                switch event {
                case .ended, .failed: player.finish()
                default: break
                }
            }
        }()
        for await frame in player.frames.prefix(100) { print("\(frame.width) × \(frame.height)") }
        player.finish()
        await playing
        await events
    }

    /// Passes on the candidates of two connections until both are closed.
    private static func exchangeCandidates(_ one: PeerConnection, _ other: PeerConnection) async {
        async let back: Void = {
            for await case .localCandidate(let candidate) in other.events { await one.add(candidate) }
        }()
        for await case .localCandidate(let candidate) in one.events { await other.add(candidate) }
        await back
    }
}
