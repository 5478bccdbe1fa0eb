import CallCore

@testable import CallMedia

/// One side of a call, without signaling.
struct Endpoint: Sendable {
    let media: LiveMediaService

    init(recording: String?) throws {
        var configuration = MediaConfiguration(
            source: .test,
            testVideo: Project.testVideo,
            library: Project.library
        )
        configuration.recording = try recording.map {
            try RecordingFile(path: $0, container: .mkv, overwrite: true)
        }
        media = LiveMediaService(configuration: configuration)
    }

    /// Holds a call until both sides have reported `reports` seconds of statistics.
    ///
    /// - Returns: what each side's session reported.
    static func hold(_ caller: Endpoint, _ callee: Endpoint, until reports: Int) async throws
        -> [[MediaEvent]]
    {
        try await caller.media.prepare()
        try await callee.media.prepare()
        let (a, b) = (
            try await caller.media.makeSession(role: .caller, iceServers: []),
            try await callee.media.makeSession(role: .callee, iceServers: [])
        )
        let answer = try await b.createAnswer(to: try await a.createOffer())
        try await a.apply(answer: answer)
        async let atCaller = events(of: a, candidatesTo: b, until: reports)
        async let atCallee = events(of: b, candidatesTo: a, until: reports)
        let seen = [await atCaller, await atCallee]
        await a.close()
        await b.close()
        await caller.media.finish()
        await callee.media.finish()
        return seen
    }

    private static func events(
        of session: any MediaSession,
        candidatesTo other: any MediaSession,
        until reports: Int
    ) async -> [MediaEvent] {
        var (seen, statistics): ([MediaEvent], Int) = ([], 0)
        for await event in session.events {
            seen.append(event)
            if case .localCandidate(let candidate) = event { await other.add(candidate) }
            if case .statistics = event { statistics += 1 }
            if statistics == reports { break }
        }
        return seen
    }

    /// The recordings that were saved; after the call.
    func saved() async -> [SavedRecording] {
        var saved: [SavedRecording] = []
        for await notice in media.notices {
            if case .recordingSaved(let recording) = notice { saved.append(recording) }
        }
        return saved
    }
}
