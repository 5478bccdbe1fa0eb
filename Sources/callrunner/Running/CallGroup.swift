internal import CallCore
internal import CallFlow
internal import CallMedia
internal import CallSignaling

/// Several calls of one process at once, in consecutive rooms, with one source for all.
struct CallGroup {
    let request: CallRequest
    let installation: Installation
    /// One for each call, in the order of the rooms.
    let measures: [CallMeasures]
    let console: Console
    let events: EventWriter

    /// Takes the places of all recordings.
    ///
    /// - Throws: `MediaFailure.recording`; then none is taken.
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

    /// Holds all calls; the failure of one ends no other.
    func run(
        _ media: [MediaConfiguration],
        url: String,
        whenLost: @escaping @Sendable () -> Void,
        interruption: StateStore<Interruption?>,
        closing: ClosingLimit
    ) async throws -> GroupSummary {
        // From then on closing all of them may not take for ever.
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
                    // Its own limit: the others go on when one is closed.
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
