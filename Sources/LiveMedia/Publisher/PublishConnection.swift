internal import Basics
internal import GLibKit
internal import LiveCore
internal import RTMP

/// A connection to a server, on which a stream is published.
struct PublishConnection {
    /// The time within which the server must accept the stream, and within which each part of it must be sent.
    private static let timeout = Duration.seconds(10)
    private static let measureInterval = Duration.seconds(5)

    let address: PublishAddress
    let authorities: TLSAuthorities
    let queue: PublishQueue
    let report: @Sendable (PublishEvent) -> Void

    /// Publishes the media of the queue until the connection is lost or the task is cancelled.
    ///
    /// - Parameter hasStarted: Called when the server has accepted the stream.
    /// - Throws: `LiveFailure`, or `CancellationError`.
    func run(hasStarted: () -> Void) async throws {
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
        hasStarted()
        report(.connected)
        let additions = queue.open()
        defer { queue.close() }
        do {
            try await checked { try await exchange(session, stream, additions) }
        } catch {
            await end(session, stream)
            throw error
        }
    }

    /// Connects and asks the server to accept the stream.
    private func begin(on stream: NetworkStream) async throws -> PublishSession {
        var session = PublishSession(url: address.description, app: address.app, key: address.key)
        try await stream.write(session.opening)
        while true {
            let bytes = try await stream.read()
            guard !bytes.isEmpty else {
                throw LiveFailure(.refused, "\(address) has closed the connection; check the stream key")
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
        _ additions: AsyncStream<Void>
    ) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await send(session, stream, after: additions) }
            group.addTask { try await read(session, stream) }
            group.addTask { try await measure() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func send(
        _ session: PublishSession,
        _ stream: NetworkStream,
        after additions: AsyncStream<Void>
    ) async throws {
        for await _ in additions {
            var bytes: [UInt8] = []
            for item in queue.removeAll() {
                switch item {
                case .video(let video, let timestamp): bytes += session.video(video, at: timestamp)
                case .audio(let audio, let timestamp): bytes += session.audio(audio, at: timestamp)
                }
            }
            let output = bytes
            guard try await withDeadline(Self.timeout, { try await stream.write(output) }) != nil else {
                throw LiveFailure(.timedOut, "\(address) has read nothing for 10 s")
            }
        }
        throw CancellationError()
    }

    private func read(_ session: PublishSession, _ stream: NetworkStream) async throws {
        var session = session
        while true {
            let bytes = try await stream.read()
            guard !bytes.isEmpty else {
                throw LiveFailure(.unreachable, "\(address) has closed the connection")
            }
            for case .send(let answer) in try session.receive(bytes[...]) { try await stream.write(answer) }
        }
    }

    private func measure() async throws {
        var before = queue.counts
        while true {
            try await Task.sleep(for: Self.measureInterval)
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
    private func end(_ session: PublishSession, _ stream: NetworkStream) async {
        _ = await stream.writeNow(session.end())
        await stream.close()
    }

    /// Calls `body`, and translates its errors.
    private func checked<Result>(_ body: () async throws -> Result) async throws -> Result {
        do { return try await body() } catch let error as GLibError {
            try Task.checkCancellation()
            let reason: LiveFailure.Reason = error.domain.contains("tls") ? .untrusted : .unreachable
            throw LiveFailure(reason, "\(address): \(error.message)")
        } catch RTMPViolation.refused(let reason) {
            throw LiveFailure(.refused, "the server refuses the stream: \(reason.printable(limit: 200))")
        } catch let violation as RTMPViolation {
            throw LiveFailure(.refused, "\(address) does not speak RTMP as expected: \(violation)")
        }
    }
}
