internal import Basics
internal import CallCore
internal import GStreamerKit

extension LiveMediaSession {
    /// The time to wait for the end of gathering before the TURN servers are queried directly.
    ///
    /// libnice waits half a minute for a server that does not respond.
    private static let timeout: Duration = .seconds(3)

    /// Starts to check whether the TURN servers provide a relay candidate; reports the reason if none does.
    func watchRelays() {
        guard closing == nil, !relays.isEmpty, !areRelaysWatched else { return }
        areRelaysWatched = true
        let end = bin.gatheringEnd()
        watchers.append(
            Task { [weak self] in
                _ = try? await withDeadline(Self.timeout) { for await _ in end { return } }
                await self?.judgeRelays()
            }
        )
    }

    /// Queries each TURN server directly if there is no relay candidate, and reports why none provides one.
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
        eventContinuation.yield(.relaysFailed(message))
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
