internal import AppFlow
internal import Basics
internal import LiveCore
internal import LiveMedia
internal import MediaKit

/// The run of `callrunner publish`.
struct PublishProgram {
    let source: SourceRequest
    let target: PublishTarget
    let duration: Duration?
    let surroundings: Surroundings

    private enum End: Sendable {
        case interrupted(Int32)
        case durationReached
        case sourceEnded
        case failed(LiveFailure)
    }

    /// Publishes until the source ends, the requested duration has passed, or the program is interrupted.
    ///
    /// - Returns: The exit code.
    /// - Throws: `Failure`.
    func run(until interruption: StateStore<Interruption?>) async throws -> Int32 {
        let (events, reported) = AsyncStream.makeStream(of: PublishEvent.self)
        let connected = StateStore(false)
        let publisher = StreamPublisher(source, to: target.address, trusting: target.authorities) { event in
            if event == .connected { connected.update { $0 = true } }
            reported.yield(event)
        }
        let closing = ClosingLimit()
        let hung = RunStatus.mediaFailed.rawValue
        return try await closing.during(
            surroundings.console,
            surroundings.events,
            exit: { interruption.state?.exit ?? hung }
        ) {
            let end = await withTaskGroup(of: End?.self) { group in
                group.addTask {
                    for await event in events { await report(event) }
                    return nil
                }
                group.addTask {
                    do { try await publisher.run() } catch let failure as LiveFailure {
                        return .failed(failure)
                    } catch { return nil }
                    return .sourceEnded
                }
                group.addTask {
                    for await reason in interruption.states {
                        if let exit = reason?.exit { return .interrupted(exit) }
                        if reason != nil { return .durationReached }
                    }
                    return nil
                }
                if let duration {
                    group.addTask {
                        for await isConnected in connected.states where isConnected { break }
                        return (try? await Task.sleep(for: duration)) == nil ? nil : .durationReached
                    }
                }
                var end: End?
                while end == nil, let next = await group.next() { end = next }
                closing.begin()
                reported.finish()
                group.cancelAll()
                return end
            }
            switch end {
            case .interrupted(let exit): return exit
            case .failed(let failure): throw Failure(publishing: failure)
            case .durationReached, .sourceEnded, nil: return 0
            }
        }
    }

    private func report(_ event: PublishEvent) async {
        let (name, fields) = event.json(target.address)
        await surroundings.events.write(name, fields)
        if let line = event.line(target.address) { surroundings.console.say(line) }
    }
}

extension Failure {
    /// Creates the failure of a command that publishes a stream.
    init(publishing failure: LiveFailure) {
        self.init(failure)
        switch failure.reason {
        case .refused: hint = "check the stream key, and that the address names the right server"
        case .unsupported: hint = "`callrunner doctor` shows what this computer can encode"
        default: break
        }
    }
}
