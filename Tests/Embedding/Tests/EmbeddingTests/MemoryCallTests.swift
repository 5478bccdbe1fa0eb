import CallMedia
import Foundation
import Testing

@Suite("Calls made by an external package without a server", .serialized, .timeLimit(.minutes(1)))
struct MemoryCallTests {
    @Test("Two peer connections in one process exchange media, and the caller records the call")
    func call() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).mkv").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let caller = try await PeerConnection(Media.configuration(recording: path))
        let callee = try await PeerConnection(Media.configuration())
        let answer = try await callee.createAnswer(to: try await caller.createOffer())
        try await caller.apply(answer: answer)
        async let atCallee = Watcher.watch(callee, for: 2) { await caller.add($0) }
        let atCaller = try await Watcher.watch(caller, for: 2) { await callee.add($0) }
        for events in [atCaller, try await atCallee] {
            #expect(events.contains(.connected))
            #expect(events.contains(.firstFrame(.video)))
            #expect(events.contains(.firstFrame(.audio)))
        }
        await caller.close()
        await callee.close()
        var saved: [String] = []
        for await event in caller.events {
            if case .recordingSaved(let path, let seconds) = event, seconds > 1 { saved.append(path) }
        }
        #expect(saved == [path])
    }

    @Test(
        "An invalid offer is rejected with a failure of kind description or codec",
        arguments: ["", "garbage", "v=0\r\n"]
    )
    func badDescription(_ text: String) async throws {
        let connection = try await PeerConnection(Media.configuration())
        await #expect {
            try await connection.createAnswer(to: text)
        } throws: {
            let kind = ($0 as? PeerConnection.Failure)?.kind
            return kind == .description || kind == .codec
        }
        await connection.close()
    }

    @Test("A missing source file is rejected with a failure of kind source")
    func noSource() async {
        let configuration = PeerConnection.Configuration(
            source: .file("/nowhere.mp4"),
            pipelines: Media.library
        )
        await #expect {
            _ = try await PeerConnection(configuration)
        } throws: {
            ($0 as? PeerConnection.Failure)?.kind == .source
        }
    }
}
