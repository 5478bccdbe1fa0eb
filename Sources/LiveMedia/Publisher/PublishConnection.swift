internal import Basics
internal import GLibKit
internal import LiveCore
internal import RTMP
internal import Synchronization

/// A connection to a server, on which a stream is published.
struct PublishConnection {
    /// The time within which the server must accept the stream, and then read each part of it.
    private static let timeout = Duration.seconds(10)
    private static let measureInterval = Duration.seconds(5)
    /// The size of a write in bytes, after which the server has shown that it reads.
    private static let writeSize = 65_536
    /// The maximum number of bytes that a server may send, in all and per second; its answers need few.
    private static let (readBurst, readRate) = (262_144.0, 16_384.0)

    let address: PublishAddress
    let authorities: TLSAuthorities
    let queue: PublishQueue
    let report: @Sendable (PublishEvent) -> Void

    /// Publishes the media of the queue until it is finished, the connection is lost or the task is cancelled.
    ///
    /// - Parameter hasStarted: Called when the server has accepted the stream, and media can be added.
    /// - Throws: `LiveFailure`, or `CancellationError`; an error of `hasStarted`.
    func run(hasStarted: () async throws -> Void) async throws {
        let opened = try await checked {
            try await withDeadline(Self.timeout) {
                let transport: NetworkStream.Transport = address.isSecure ? .tls(authorities) : .tcp
                let stream = try await NetworkStream.connect(
                    to: address.host,
                    port: address.port,
                    over: transport
                )
                return (stream, try await begin(on: stream))
            }
        }
        guard let (stream, session) = opened else {
            throw LiveFailure(.timedOut, "\(address) has not accepted the stream within 10 s")
        }
        report(.connected)
        let (additions, progress) = (queue.open(), WriteProgress())
        defer { queue.close() }
        do {
            try await hasStarted()
            try await checked { try await exchange(session, stream, additions, progress) }
        } catch {
            await end(session, stream, progress)
            throw error
        }
        await end(session, stream, progress)
    }

    /// Connects and asks the server to accept the stream.
    private func begin(on stream: NetworkStream) async throws -> PublishSession {
        var session = PublishSession(url: address.appURL, app: address.app, key: address.key)
        try await stream.write(session.opening)
        while true {
            let bytes = try await stream.read()
            guard !bytes.isEmpty else {
                throw LiveFailure(
                    .refused,
                    "\(address) has closed the connection before accepting the stream"
                )
            }
            for event in try session.receive(bytes[...]) {
                switch event {
                case .send(let answer): try await stream.write(answer)
                case .started: return session
                }
            }
        }
    }

    /// Sends media, reads the answers of the server, and reports measures.
    private func exchange(
        _ session: PublishSession,
        _ stream: NetworkStream,
        _ additions: AsyncStream<Void>,
        _ progress: WriteProgress
    ) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await send(session, stream, after: additions, progress) }
            group.addTask { try await read(session, stream) }
            group.addTask { try await measure(progress) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func send(
        _ session: PublishSession,
        _ stream: NetworkStream,
        after additions: AsyncStream<Void>,
        _ progress: WriteProgress
    ) async throws {
        for await _ in additions { try await sendWaiting(session, stream, progress) }
        try Task.checkCancellation()
        try await sendWaiting(session, stream, progress)
    }

    private func sendWaiting(
        _ session: PublishSession,
        _ stream: NetworkStream,
        _ progress: WriteProgress
    ) async throws {
        while true {
            var bytes: [UInt8] = []
            for item in queue.removeFirst(size: Self.writeSize) {
                switch item {
                case .video(let video, let timestamp): bytes += session.video(video, at: timestamp)
                case .audio(let audio, let timestamp): bytes += session.audio(audio, at: timestamp)
                case .metadata(let metadata): bytes += session.metadata(metadata)
                case .answer(let answer): bytes += answer
                }
            }
            guard !bytes.isEmpty else { return }
            for start in stride(from: 0, to: bytes.count, by: Self.writeSize) {
                progress.begin()
                try await stream.write(Array(bytes[start..<min(start + Self.writeSize, bytes.count)]))
                progress.end()
            }
        }
    }

    private func read(_ session: PublishSession, _ stream: NetworkStream) async throws {
        var session = session
        let start = ContinuousClock.now
        var count = 0
        while true {
            let bytes = try await stream.read()
            guard !bytes.isEmpty else {
                throw LiveFailure(.unreachable, "\(address) has closed the connection")
            }
            count += bytes.count
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            guard Double(count) <= Self.readBurst + seconds * Self.readRate else {
                throw LiveFailure(.serverFailed, "\(address) sends without a pause")
            }
            // A stream may have only one write at a time.
            for case .send(let answer) in try session.receive(bytes[...]) { queue.add(.answer(answer)) }
        }
    }

    /// Reports measures, and checks that the server reads.
    private func measure(_ progress: WriteProgress) async throws {
        var before = queue.counts
        while true {
            try await Task.sleep(for: Self.measureInterval)
            guard progress.waitingTime < Self.timeout else {
                throw LiveFailure(.timedOut, "\(address) has read nothing for 10 s")
            }
            let now = queue.counts
            let seconds = Self.measureInterval / .seconds(1)
            report(
                .measured(
                    PublishMeasures(
                        bitrate: Double((now.bytes - before.bytes) * 8) / seconds,
                        frameRate: Double(now.frames - before.frames) / seconds,
                        droppedFrames: now.dropped
                    )
                )
            )
            before = now
        }
    }

    /// Tells the server that the stream has ended, if it still reads, and closes the connection.
    private func end(
        _ session: PublishSession,
        _ stream: NetworkStream,
        _ progress: WriteProgress
    ) async {
        // After a part of a message, a command would be taken for its rest.
        if !progress.isWriting { _ = await stream.writeNow(session.end()) }
        await stream.close()
    }

    /// Calls `body`, and translates its errors.
    private func checked<Result>(_ body: () async throws -> Result) async throws -> Result {
        do { return try await body() } catch let error as GLibError {
            try Task.checkCancellation()
            let reason: LiveFailure.Reason = error.domain.contains("tls") ? .untrusted : .unreachable
            throw LiveFailure(reason, "\(address): \(error.message)")
        } catch RTMPViolation.refused(let reason) {
            // Servers may name the stream, whose name is its key.
            let shown = address.hidingSecrets(in: reason).printable(limit: 200)
            throw LiveFailure(.refused, "the server refuses the stream: \(shown)")
        } catch let violation as RTMPViolation {
            throw LiveFailure(.refused, "\(address) does not speak RTMP as expected: \(violation)")
        }
    }
}

/// The time for which a write has been waiting.
///
/// A time limit for each write would cost two tasks per frame.
private final class WriteProgress: Sendable {
    private let start = Mutex<ContinuousClock.Instant?>(nil)

    func begin() { start.withLock { $0 = .now } }

    func end() { start.withLock { $0 = nil } }

    var isWriting: Bool { start.withLock { $0 != nil } }

    var waitingTime: Duration { start.withLock { $0?.duration(to: .now) ?? .zero } }
}
