internal import AppFlow
internal import Basics
internal import CallCore
internal import CallMedia
internal import CallSignaling
internal import MediaKit

/// Several simultaneous calls in one process, in consecutive rooms, with one shared source.
struct CallGroup {
    let request: CallRequest
    let installation: Installation
    /// The measurements of each call, in the order of the rooms.
    let measures: [CallMeasures]
    let console: Console
    let events: EventWriter

    /// Creates the media configurations of all calls, and reserves the files of their recordings.
    ///
    /// - Throws: `MediaFailure.recording`; in this case, no file is reserved.
    func media() throws -> [MediaConfiguration] {
        let source = SharedSource()
        var taken: [MediaConfiguration] = []
        do {
            for number in 1...request.calls {
                var configuration = try request.configuration(installation, call: number)
                configuration.sharedSource = source
                taken.append(configuration)
            }
        } catch {
            for configuration in taken { configuration.discardUnusedRecordings() }
            throw error
        }
        return taken
    }

    /// Runs all calls; the failure of one call does not end the others.
    func run(
        _ media: [MediaConfiguration],
        url: String,
        whenLost: @escaping @Sendable () -> Void,
        interruption: StateStore<Interruption?>,
        closing: ClosingLimit
    ) async throws -> GroupSummary {
        // After an interruption, the time for closing all calls is limited.
        async let _: Void = {
            for await reason in interruption.states where reason != nil { closing.begin() }
        }()
        return try await withThrowingTaskGroup(of: (Int, CallRun.Result).self) { group in
            for (index, configuration) in media.enumerated() {
                var run = CallRun(
                    plan: request.plan(call: index + 1),
                    media: configuration,
                    signaling: request.signaling(url: url),
                    console: console,
                    events: events
                )
                run.call = request.plan(call: index + 1).identity.room
                run.liveConsole = Console(level: .silent)
                run.measures = measures[index]
                run.whenSignalingIsLost = whenLost
                group.addTask { [run] in
                    // Each call has its own limit, because the other calls continue when this one closes.
                    (index, try await run.run(interruption: interruption, closing: ClosingLimit()))
                }
            }
            var results: [Int: CallRun.Result] = [:]
            while let (index, result) = try await group.next() {
                results[index] = result
                if results.count == media.count { closing.begin() }
            }
            await media.first?.sharedSource?.finish()
            return GroupSummary(
                rows: results.sorted { $0.key < $1.key }.map { index, result in
                    GroupSummary.Row(
                        room: measures[index].room,
                        result: result,
                        figures: measures[index].figures
                    )
                }
            )
        }
    }
}
