import CallCore
import Testing

@testable import CallMedia

@Suite("A call between two media services in one process", .serialized)
struct LoopbackCallTests {
    @Test("Caller and callee see, hear and record each other", .timeLimit(.minutes(1)))
    func exchange() async throws {
        let folder = try TemporaryFolder()
        let (caller, callee) = (
            try Endpoint(recording: folder.path("caller.mkv")),
            try Endpoint(recording: folder.path("callee.mkv"))
        )
        let seen = try await Endpoint.hold(caller, callee, until: 3)
        for events in seen {
            #expect(events.contains(.connected))
            #expect(events.contains(.firstFrame(.video)))
            #expect(events.contains(.firstFrame(.audio)))
        }
        for endpoint in [caller, callee] {
            let saved = await endpoint.saved()
            #expect(saved.map(\.tracks) == [["H264", "OPUS"]])
            #expect((saved.first?.seconds ?? 0) > 2)
        }
    }
}
