import CallMedia
import Foundation
import Testing

@Suite("Calls made by an external package without a server", .serialized, .timeLimit(.minutes(4)))
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

    @Test("A connection delivers the peer's decoded video and audio until it is closed")
    func decoded() async throws {
        var configuration = Media.configuration()
        configuration.decodedKinds = [.video, .audio]
        let caller = try await PeerConnection(configuration)
        let callee = try await PeerConnection(Media.configuration())
        let answer = try await callee.createAnswer(to: try await caller.createOffer())
        try await caller.apply(answer: answer)
        async let atCallee = Watcher.watch(callee, for: 2) { await caller.add($0) }
        async let atCaller = Watcher.watch(caller, for: 2) { await callee.add($0) }
        var shades: Set<UInt8> = []
        for await frame in caller.videoFrames.prefix(5) {
            #expect(frame.width > 0 && frame.height > 0)
            frame.withPlanes { planes in
                #expect(planes.count == 3)
                #expect(planes[0].stride >= frame.width)
                #expect(planes[0].bytes.count >= planes[0].stride * (frame.height - 1) + frame.width)
                shades.formUnion(
                    stride(from: 0, to: planes[0].bytes.count, by: 997).map { planes[0].bytes[$0] }
                )
            }
        }
        #expect(shades.count > 1)
        var samples = 0
        for await buffer in caller.audioBuffers {
            samples += buffer.samples.count / PeerConnection.AudioBuffer.channels
            if samples >= PeerConnection.AudioBuffer.sampleRate / 2 { break }
        }
        _ = try await (atCallee, atCaller)
        await caller.close()
        await callee.close()
        for await _ in caller.videoFrames {}
        for await _ in caller.audioBuffers {}
    }

    @Test("No media is decoded unless the configuration requests it")
    func notDecoded() async throws {
        let caller = try await PeerConnection(Media.configuration())
        let callee = try await PeerConnection(Media.configuration())
        let answer = try await callee.createAnswer(to: try await caller.createOffer())
        try await caller.apply(answer: answer)
        async let atCallee = Watcher.watch(callee, for: 2) { await caller.add($0) }
        _ = try await Watcher.watch(caller, for: 2) { await callee.add($0) }
        _ = try await atCallee
        await caller.close()
        await callee.close()
        for await _ in caller.videoFrames { Issue.record("a frame was decoded") }
        for await _ in caller.audioBuffers { Issue.record("audio was decoded") }
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
