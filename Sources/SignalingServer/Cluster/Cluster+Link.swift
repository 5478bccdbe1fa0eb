internal import CallCore
internal import Logging
internal import NIOCore
internal import RedisKit

/// Whether Redis is there, and does what is asked of it.
extension Cluster: RedisLinkDelegate {
    func linkDidOpen(_ link: RedisLink) { comeUp() }

    /// Shares the rooms, if Redis takes a sign of life: where it lets nothing be written, it might as well be away.
    func comeUp() {
        guard commands.isOpen, subscription.isOpen, !isUp, !isComingUp, !isClosed else { return }
        isComingUp = true
        sayAlive { [weak self] result in
            guard let self else { return }
            isComingUp = false
            guard case .success(let wasKnown) = result, commands.isOpen, subscription.isOpen else { return }
            // Whoever was warned is to hear the end of it.
            let level: Logger.Level = lastProblem == nil ? .notice : .warning
            lastProblem = nil
            counts.isUp = true
            logger.log(
                level: level,
                "rooms are shared",
                metadata: ["redis": "\(configuration.redis.address)", "node": "\(node)"]
            )
            heal(wasKnown: wasKnown)
        }
    }

    func link(_ link: RedisLink, didClose error: RedisError, unanswered: Int) {
        mayHaveMissed = mayHaveMissed || unanswered > 0
        goDown(error)
    }

    /// What Redis refuses is a mistake of who set it up, or its want of memory, and nobody sees it but in the log.
    ///
    /// The next sign of life that it takes ends that.
    func noteFailure(_ error: any Error) {
        if let error = error as? RedisError, case .refused = error { goDown(error) }
    }

    /// What fails in one room, as a script does that finds what it cannot read, says nothing of the others; where all
    /// is refused, the next sign of life is too.
    func noteFailure(_ error: any Error, in room: RoomID) {
        guard case .refused(let words) = error as? RedisError,
            ["ERR", "WRONGTYPE"].contains(words.prefix { $0 != " " })
        else {
            return noteFailure(error)
        }
        guard isNews(words) else { return }
        logger.error(
            "Redis refuses what is asked of a room",
            metadata: ["room": "\(room)", "reason": "\(words)"]
        )
    }

    private func goDown(_ error: RedisError) {
        let wasUp = isUp
        if isUp {
            counts.isUp = false
            counts.losses += 1
            acks.forgetAll()
            fetches.forgetAll()
        }
        // Once for each reason, however often it is tried.
        let problem = "\(error)"
        guard problem != lastProblem, !isClosed else { return }
        lastProblem = problem
        let event = wasUp ? "Redis is lost" : "Redis cannot be used"
        var metadata: Logger.Metadata = ["redis": "\(configuration.redis.address)", "reason": "\(problem)"]
        metadata["hint"] = error.hint.map { "\($0)" }
        logger.warning("\(event), rooms are this server's alone", metadata: metadata)
    }

    func link(_ link: RedisLink, didRefuse words: String) {
        guard isNews(words) else { return }
        logger.error("Redis refuses a message to the other servers", metadata: ["reason": "\(words)"])
    }

    private func isNews(_ refusal: String) -> Bool {
        refusals.count < 16 && refusals.insert(String(refusal.prefix { $0 != " " })).inserted
    }

    func link(_ link: RedisLink, didReceive payload: RESPValue, on channel: String, pattern: String?) {
        guard !isClosed else { return }
        guard let bytes = payload.bytes else {
            if case .oversized = payload { refuse(.oversized) } else { refuse(.malformed) }
            return
        }
        guard !echo.isHeard(in: bytes) else { return }
        do throws(AdapterRefusal) {
            switch (pattern, channel) {
            case (.some, _): try receive(broadcast: bytes, on: channel)
            case (nil, AdapterChannels.nodes): try receive(nodeMessage: Array(bytes.readableBytesView))
            case (nil, AdapterChannels.requests): try receive(request: Array(bytes.readableBytesView))
            case (nil, AdapterChannels.responses), (nil, AdapterChannels.responses(to: node)):
                try receive(response: Array(bytes.readableBytesView))
            default: break
            }
        } catch {
            refuse(error)
        }
    }
}
