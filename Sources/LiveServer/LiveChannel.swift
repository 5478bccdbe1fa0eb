internal import Basics
package import LiveCore
internal import Synchronization

/// A live channel, which stores the newest segments of a packager and serves them to clients.
package final class LiveChannel: Sendable {
    private struct State {
        var window = LiveWindow()
        /// The number of times that each stored segment was loaded.
        var loads: [Int: Int] = [:]
        /// The number of the current packager run; segments of earlier runs are ignored.
        var run = 0
        /// Whether a packager adds segments, or will do so at the next request.
        var isPackaged: Bool

        /// Removes the counts of segments that are no longer stored.
        mutating func forgetLoads() {
            let window = window
            loads = loads.filter { window.segment($0.key) != nil }
        }
    }

    private enum Publication {
        /// The packager is running, and there is no playlist yet.
        case starting
        /// The packager starts at the next request.
        case onDemand
        case published
        case failed
    }

    package let id: String
    /// Whether players need a token.
    let needsToken: Bool
    private let state: Mutex<State>
    private let publication: StateStore<Publication>
    /// The time of the latest request for the playlist; nil before the first one.
    let demand = StateStore<SuspendingClock.Instant?>(nil)

    /// The maximum time for which a request waits for the first playlist.
    private static let startLimit = Duration.seconds(5)

    /// Creates a channel for a packager that runs permanently or on demand.
    package init(_ id: String, isOnDemand: Bool = false, needsToken: Bool = false) {
        (self.id, self.needsToken) = (id, needsToken)
        state = Mutex(State(isPackaged: isOnDemand))
        publication = StateStore(isOnDemand ? .onDemand : .starting)
    }

    /// Adds the segments of a packager until it ends.
    ///
    /// - Throws: `LiveFailure`.
    package func run(_ packager: any LivePackager) async throws(LiveFailure) {
        state.withLock { $0.isPackaged = true }
        defer {
            // While a server shuts down, players must not take the stream for ended, but connect again.
            if !Task.isCancelled { state.withLock { $0.window.end() } }
            publication.finish()
        }
        try await add(packager)
    }

    /// Adds the segments of a packager while clients request the playlist, until the task is cancelled.
    ///
    /// The packager starts at the first request, which waits for it, and is cancelled after `idleLimit` without a
    /// request. A failure is passed to `failed`; the packager can start again after `retryPause`.
    package func runOnDemand(
        _ packager: any LivePackager,
        idleLimit: Duration = .seconds(30),
        retryPause: Duration = .seconds(5),
        failed: @escaping @Sendable (LiveFailure) -> Void
    ) async {
        defer { publication.finish() }
        var answered: SuspendingClock.Instant?
        while !Task.isCancelled {
            for await latest in demand.states where latest != answered { break }
            guard !Task.isCancelled else { return }
            publication.update { $0 = .starting }
            do throws(LiveFailure) {
                answered = try await add(packager, untilNobodyAsksFor: idleLimit)
            } catch {
                guard !Task.isCancelled else { return }
                failed(error)
                // A request that arrives from now on starts another run after the pause.
                answered = demand.state
                clear()
                publication.update { $0 = .failed }
                guard (try? await Task.sleep(for: retryPause)) != nil else { return }
                publication.update { $0 = .onDemand }
            }
        }
    }

    /// Adds the segments of a packager until the playlist has not been requested for `limit`.
    ///
    /// - Returns: The time of the latest request.
    private func add(
        _ packager: any LivePackager,
        untilNobodyAsksFor limit: Duration
    ) async throws(LiveFailure) -> SuspendingClock.Instant? {
        let result = await withTaskGroup(
            of: Result<SuspendingClock.Instant?, LiveFailure>.self
        ) { group in
            group.addTask {
                do throws(LiveFailure) {
                    try await self.add(packager)
                    throw LiveFailure(.file, "the packager has ended")
                } catch {
                    return .failure(error)
                }
            }
            group.addTask { .success(await self.wait(untilNobodyAsksFor: limit)) }
            defer { group.cancelAll() }
            return await group.next()
        }
        return try result?.get()
    }

    /// Waits until the playlist has not been requested for `limit`, and then removes the segments.
    ///
    /// - Returns: The time of the latest request; nil if the task was cancelled.
    private func wait(untilNobodyAsksFor limit: Duration) async -> SuspendingClock.Instant? {
        let start = SuspendingClock.now
        while !Task.isCancelled {
            let latest = demand.state
            let end = max(start, latest ?? start) + limit
            guard end <= .now else {
                try? await Task.sleep(until: end, clock: .suspending)
                continue
            }
            var before = Publication.onDemand
            publication.update { state in
                before = state
                state = .onDemand
            }
            // From now on, requests wait. If one arrived before, its client may have received the playlist, and the
            // segments are kept.
            guard demand.state == latest else {
                publication.update { [before] in $0 = before }
                continue
            }
            clear()
            return latest
        }
        return nil
    }

    private func add(_ packager: any LivePackager) async throws(LiveFailure) {
        let run = state.withLock(\.run)
        try await packager.run { self.add($0, ofRun: run) }
    }

    private func add(_ segment: LiveSegment, ofRun run: Int) {
        let isPublished = state.withLock { state in
            guard state.run == run else { return false }
            state.window.add(segment)
            state.forgetLoads()
            return text(of: state.window) != nil
        }
        if isPublished, publication.state == .starting {
            publication.update { if $0 == .starting { $0 = .published } }
        }
    }

    // MARK: Publishers

    /// Adds a segment of an encoder that publishes the stream.
    func add(_ segment: LiveSegment) { add(segment, ofRun: state.withLock(\.run)) }

    /// Marks the next segment as discontinuous, because an encoder connects again.
    func interrupt() { state.withLock { $0.window.interrupt() } }

    /// Marks the stream as ended, until another segment is added.
    func end() { state.withLock { $0.window.end() } }

    /// Removes all segments, so that there is no playlist until others are added.
    func clear() {
        state.withLock { state in
            state.window.clear()
            state.forgetLoads()
            state.run += 1
        }
    }

    // MARK: Requests

    /// Waits until there is a playlist; returns false if the packager fails or ends first.
    package func isPublished() async -> Bool {
        ask()
        for await state in publication.states {
            switch state {
            case .published: return true
            case .failed: return false
            case .starting: continue
            case .onDemand: ask()
            }
        }
        return false
    }

    /// Returns the playlist with URIs relative to the channel's URL; nil if nothing is published.
    ///
    /// It waits up to 5 s for a packager that starts.
    func playlist() async -> String? {
        ask()
        if publication.state != .published, state.withLock(\.isPackaged) {
            _ = try? await withDeadline(Self.startLimit) { await self.isPublished() }
        }
        return state.withLock { text(of: $0.window) }
    }

    /// Returns a segment that a player loads; nil if it is no longer or not yet stored.
    func segment(_ number: Int) -> LiveSegment? {
        state.withLock { state in
            guard let segment = state.window.segment(number) else { return nil }
            state.loads[number, default: 0] += 1
            return segment
        }
    }

    /// The estimated number of players, each of which loads each segment once.
    var viewers: Int { state.withLock { $0.loads.values.max() ?? 0 } }

    private func ask() { demand.update { $0 = .now } }

    private func text(of window: LiveWindow) -> String? {
        window.playlist { "\(self.id)/\($0).ts" }?.text
    }
}
