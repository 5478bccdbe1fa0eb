internal import GLibKit
internal import SocketIO

/// One session with its transports and deadlines; they all end together.
@LoopActor
final class ConnectionLife {
    private enum Job: Sendable {
        case deadline(ConnectionDeadline, after: Duration)
        case probe(TransportRun)
    }

    private let number: Int
    private let configuration: SocketConfiguration
    private let jobs: AsyncStream<Job>
    private let jobSink: AsyncStream<Job>.Continuation

    private var current: TransportRun
    private let polling: PollingTransport?
    private var probe: TransportRun?

    init(number: Int, over name: TransportName, configuration: SocketConfiguration) {
        self.number = number
        self.configuration = configuration
        polling = name == .polling ? PollingTransport(configuration) : nil
        current = TransportRun(polling ?? WebSocketTransport(configuration))
        (jobs, jobSink) = AsyncStream.makeStream()
    }

    /// The transport that carries the session.
    var transport: any Transport { current.transport }

    func startDeadline(_ deadline: ConnectionDeadline, after wait: Duration) {
        jobSink.yield(.deadline(deadline, after: wait))
    }

    /// Opens a WebSocket for the upgrade of this session, while polling continues.
    func openProbe(sid: String) {
        let probe = TransportRun(WebSocketTransport(configuration, sid: sid))
        self.probe = probe
        jobSink.yield(.probe(probe))
    }

    func sendOnProbe(_ packets: [EnginePacket]) { probe?.transport.send(packets) }

    func dropProbe() {
        probe?.letGo()
        probe = nil
    }

    func pausePolling() { polling?.pause() }

    func resumePolling() { polling?.resume() }

    /// Moves the session to the WebSocket that answered the probe.
    func switchToProbe() {
        guard let probe else { return }
        current.letGo()
        current = probe
        self.probe = nil
    }

    /// Ends the session and closes its transports.
    func abandon() {
        dropProbe()
        current.letGo()
        jobSink.finish()
    }

    /// Runs the transports and forwards their events, until the session is abandoned.
    func run(for connection: Connection) async {
        let (number, first) = (number, current)
        await withDiscardingTaskGroup { group in
            group.addTask {
                await first.run { connection.handle(.transport($0, life: number)) }
            }
            for await job in jobs {
                group.addTask { await self.perform(job, for: connection) }
            }
            group.cancelAll()
        }
    }

    private func perform(_ job: Job, for connection: Connection) async {
        let number = number
        switch job {
        case .probe(let probe): await probe.run { connection.handle(.probe($0, life: number)) }
        case .deadline(let deadline, let wait):
            guard (try? await configuration.clock.sleep(for: wait)) != nil else { return }
            connection.handle(.deadline(deadline, life: number))
        }
    }
}
