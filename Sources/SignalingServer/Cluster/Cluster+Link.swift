internal import CallCore
internal import Logging
internal import NIOCore
internal import RedisKit

/// The state of the connection to Redis, and the messages from it.
extension Cluster: RedisLinkDelegate {
    func linkDidOpen(_ link: RedisLink) { comeUp() }

    /// Starts sharing rooms if Redis accepts a heartbeat: one that refuses writes is as good as unreachable.
    func comeUp() {
        guard commands.isOpen, subscription.isOpen, !isUp, !isComingUp, !isClosed else { return }
        isComingUp = true
        sayAlive { [weak self] result in
            guard let self else { return }
            isComingUp = false
            guard case .success(let wasKnown) = result, commands.isOpen, subscription.isOpen else { return }
            // If the outage was logged as a warning, so is its end.
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

    /// Stops sharing rooms if Redis refuses a command: it is misconfigured or out of memory.
    ///
    /// Only the log shows it. The next accepted heartbeat starts the sharing again.
    func noteFailure(_ error: any Error) {
        if let error = error as? RedisError, case .refused = error { goDown(error) }
    }

    /// Logs a command that Redis refuses for one room, such as a script that finds data it cannot read.
    ///
    /// Other rooms are not affected; if Redis refuses everything, it refuses the next heartbeat too.
    func noteFailure(_ error: any Error, in room: RoomID) {
        guard case .refused(let words) = error as? RedisError,
            ["ERR", "WRONGTYPE"].contains(words.prefix { $0 != " " })
        else {
            return noteFailure(error)
        }
        guard isFirst(words) else { return }
        logger.error(
            "Redis refuses a command for a room",
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
        // Log each reason once, however many attempts fail.
        let problem = "\(error)"
        guard problem != lastProblem, !isClosed else { return }
        lastProblem = problem
        let event = wasUp ? "connection to Redis lost" : "Redis cannot be used"
        var metadata: Logger.Metadata = ["redis": "\(configuration.redis.address)", "reason": "\(problem)"]
        metadata["hint"] = error.hint.map { "\($0)" }
        logger.warning("\(event), rooms are not shared", metadata: metadata)
    }

    func link(_ link: RedisLink, didRefuse words: String) {
        guard isFirst(words) else { return }
        logger.error("Redis refuses a message to other servers", metadata: ["reason": "\(words)"])
    }

    private func isFirst(_ refusal: String) -> Bool {
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
