import CallMedia
import Testing

@Suite(
    "Calls made by an external package over the signaling server",
    .enabled(if: Media.program != nil, "callrunner is not built: run `make build` first"),
    .timeLimit(.minutes(4))
)
struct SocketCallTests {
    @Test("A caller and a callee meet in a room and exchange audio and video")
    func call() async throws {
        try await SignalingServer.run(try #require(Media.program)) { server in
            async let callee = RoomPeer(name: "Bob", isCaller: false, server: server.url).call(for: 2)
            let caller = try await RoomPeer(name: "Ann", isCaller: true, server: server.url).call(for: 2)
            for events in [caller, try await callee] {
                #expect(events.contains(.connected))
                #expect(events.contains(.firstFrame(.video)))
                #expect(events.contains(.firstFrame(.audio)))
            }
        }
    }
}
