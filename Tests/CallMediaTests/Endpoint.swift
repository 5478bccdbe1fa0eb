import CallCore

@testable import CallMedia
@testable import MediaKit

/// One side of a call without signaling.
struct Endpoint: Sendable {
    let media: LiveMediaService

    /// Creates an endpoint that sends the test video and records nothing, as modified by `change`.
    init(_ change: (inout MediaConfiguration) throws -> Void = { _ in }) throws {
        var configuration = MediaConfiguration(
            source: .test,
            testVideo: Project.testVideo,
            library: Project.library
        )
        try change(&configuration)
        media = LiveMediaService(configuration: configuration)
    }

    /// An attempt to connect two endpoints.
    struct Attempt: Sendable {
        let caller: any MediaSession
        let callee: any MediaSession
        let offer: String

        /// Exchanges offer and answer.
        init(_ caller: Endpoint, _ callee: Endpoint) async throws {
            self.caller = try await caller.media.makeSession(role: .caller, iceServers: [])
            self.callee = try await callee.media.makeSession(role: .callee, iceServers: [])
            offer = try await self.caller.createOffer()
            try await self.caller.apply(answer: try await self.callee.createAnswer(to: offer))
        }

        /// Exchanges candidates until both sides have reported `reports` seconds of statistics.
        ///
        /// It also waits until the callee's statistics satisfy `enough`.
        ///
        /// - Parameters:
        ///   - reports: the number of seconds.
        ///   - enough: the condition for the callee's statistics.
        /// - Returns: the events of the caller's and the callee's sessions.
        func run(
            until reports: Int,
            enough: @escaping @Sendable (CallStatistics) -> Bool = { _ in true }
        ) async -> [[MediaEvent]] {
            async let atCaller = Self.events(of: caller, candidatesTo: callee, until: reports) { _ in true }
            async let atCallee = Self.events(of: callee, candidatesTo: caller, until: reports, enough: enough)
            return [await atCaller, await atCallee]
        }

        func close() async {
            await caller.close()
            await callee.close()
        }

        private static func events(
            of session: any MediaSession,
            candidatesTo other: any MediaSession,
            until reports: Int,
            enough: @Sendable (CallStatistics) -> Bool
        ) async -> [MediaEvent] {
            var (seen, statistics, isEnough): ([MediaEvent], Int, Bool) = ([], 0, false)
            for await event in session.events {
                seen.append(event)
                if case .localCandidate(let candidate) = event { await other.add(candidate) }
                if case .statistics(let measured) = event {
                    statistics += 1
                    isEnough = enough(measured)
                }
                if case .failed = event { break }
                if statistics >= reports && isEnough { break }
            }
            return seen
        }
    }

    /// Runs a call until both sides have reported `reports` seconds of statistics, and then closes it.
    ///
    /// It also waits until the callee's statistics satisfy `enough`.
    ///
    /// - Parameters:
    ///   - caller: the calling endpoint.
    ///   - callee: the called endpoint.
    ///   - reports: the number of seconds.
    ///   - atEnd: called before the call is closed.
    ///   - enough: the condition for the callee's statistics.
    /// - Returns: the events of the caller's and the callee's sessions.
    /// - Throws: the error of the negotiation or of `atEnd`.
    static func hold(
        _ caller: Endpoint,
        _ callee: Endpoint,
        until reports: Int,
        atEnd: () throws -> Void = {},
        enough: @escaping @Sendable (CallStatistics) -> Bool = { _ in true }
    ) async throws -> [[MediaEvent]] {
        let attempt = try await Attempt(caller, callee)
        let seen = await attempt.run(until: reports, enough: enough)
        try atEnd()
        await attempt.close()
        await caller.media.finish()
        await callee.media.finish()
        return seen
    }

    /// Returns all notices of the media service, which must have finished.
    func notices() async -> [MediaNotice] {
        var notices: [MediaNotice] = []
        for await notice in media.notices { notices.append(notice) }
        return notices
    }

    /// Returns the saved recordings of the media service, which must have finished.
    func saved() async -> [SavedRecording] {
        await notices().compactMap { if case .recordingSaved(let recording) = $0 { recording } else { nil } }
    }
}

extension [MediaEvent] {
    var statistics: [CallStatistics] {
        compactMap { if case .statistics(let statistics) = $0 { statistics } else { nil } }
    }
}

extension MediaSession {
    func createAnswer(to offer: String) async throws -> String {
        try await createAnswer(to: SessionOffer(parsing: offer))
    }

    func apply(answer: String) async throws { try await apply(answer: SignaledDescription(answer)) }
}
