import Basics
import CallMedia
import SocketIOClient
import Testing

/// The examples of docs/embedding.md, word for word: `Tests/e2e/test_documentation.py` compares them.
@Suite("Examples in docs/embedding.md", .timeLimit(.minutes(1)))
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
        return try await SocketIOClient(server).withSocket { socket in
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
}
