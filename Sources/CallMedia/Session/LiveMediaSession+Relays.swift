internal import CallCore
internal import GStreamerKit

extension LiveMediaSession {
    /// How long gathering may take before the servers are asked what is wrong; libnice asks a silent one for
    /// half a minute.
    private static let patience: Duration = .seconds(3)

    /// Finds out why, where TURN servers are named and none gives a relay.
    func watchRelays() {
        guard closing == nil, !relays.isEmpty, !areRelaysWatched else { return }
        areRelaysWatched = true
        let end = bin.gatheringEnd()
        watchers.append(
            Task { [weak self] in
                await withTaskGroup { group in
                    group.addTask { for await _ in end { return } }
                    group.addTask { try? await ContinuousClock().sleep(for: Self.patience) }
                    await group.next()
                    group.cancelAll()
                }
                await self?.judgeRelays()
            }
        )
    }

    /// Without a relay by now, each server is asked directly; where none gives one, that is told.
    private func judgeRelays() async {
        guard !hasRelay, closing == nil, !Task.isCancelled else { return }
        let authorities = service.configuration.turnAuthorities
        let answers = await withTaskGroup { group in
            for (index, server) in relays.enumerated() {
                group.addTask { (index, await ICEServerProbe(server, authorities).answer()) }
            }
            var answers: [Int: ICEServerProbe.Answer] = [:]
            for await (index, answer) in group { answers[index] = answer }
            return answers
        }
        guard !hasRelay, closing == nil, !Task.isCancelled else { return }
        let problems = relays.enumerated().compactMap { index, server in
            answers[index]?.problem(of: server.url)
        }
        guard problems.count == relays.count, let answer = answers[0] else { return }
        let message = problems.joined(separator: "; ")
        news.yield(.relaysFailed(message))
        guard service.configuration.relayOnly else {
            service.warnOnce("no relay: \(message)")
            return
        }
        fail(
            .relay(
                message: "no relay: \(message)",
                hint: answer.hint(for: relays[0].url),
                isRefusal: answers.values.allSatisfy(\.isFinal)
            )
        )
    }
}
