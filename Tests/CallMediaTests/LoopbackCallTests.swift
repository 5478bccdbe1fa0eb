import CallCore
import Foundation
import GStreamerKit
import Testing

@testable import CallMedia

@Suite("A call between two media services in one process", .serialized)
struct LoopbackCallTests {
    @Test("Caller and callee exchange the test video and record it", .timeLimit(.minutes(1)))
    func exchange() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let recordings = ["caller", "callee"].map { folder.appending(path: "\($0).mkv").path }
        let caller = try Endpoint(recording: recordings[0])
        let callee = try Endpoint(recording: recordings[1])
        try await Endpoint.hold(caller, callee, for: .seconds(3))
        print(recordings)
        for path in recordings { #expect(try Data(contentsOf: URL(filePath: path)).count > 100_000) }
    }
}

struct Endpoint: Sendable {
    let media: LiveMediaService

    static let project = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    init(recording: String?) throws {
        var configuration = MediaConfiguration(
            source: .test,
            testVideo: "\(Self.project)/assets/webRtcTestVideo.mp4",
            library: PipelineLibrary(directory: "\(Self.project)/pipelines")
        )
        configuration.recording = try recording.map {
            try RecordingFile(path: $0, container: .mkv, overwrite: true)
        }
        media = LiveMediaService(configuration: configuration)
    }

    static func hold(_ caller: Endpoint, _ callee: Endpoint, for duration: Duration) async throws {
        let clock = ContinuousClock()
        let began = clock.now
        try await caller.media.prepare()
        try await callee.media.prepare()
        print("prepared", clock.now - began)
        let start = clock.now
        let (a, b) = (
            try await caller.media.makeSession(role: .caller, iceServers: []),
            try await callee.media.makeSession(role: .callee, iceServers: [])
        )
        let offer = try await a.createOffer()
        print("offer", clock.now - start)
        print(offer)
        let answer = try await b.createAnswer(to: offer)
        print("answer", clock.now - start)
        print(answer)
        try await a.apply(answer: answer)
        print("applied", clock.now - start)
        await withTaskGroup(of: Void.self) { group in
            for (name, from, to) in [("caller", a, b), ("callee", b, a)] {
                group.addTask {
                    for await event in from.events {
                        print(name, clock.now - start, event)
                        if case .localCandidate(let candidate) = event { await to.add(candidate) }
                    }
                }
            }
            try? await Task.sleep(for: duration)
            await a.close()
            await b.close()
            await group.waitForAll()
        }
        print("closed", clock.now - start)
        await caller.media.finish()
        await callee.media.finish()
        for await notice in caller.media.notices { print(notice) }
        for await notice in callee.media.notices { print(notice) }
        print("finished", clock.now - start)
    }
}
