internal import Basics
internal import GLibKit
internal import HTTPFront
internal import LiveServer
internal import Logging
internal import SignalingServer
internal import Synchronization

/// The embedded signaling server of the app.
///
/// It starts when a room at its URL is joined, or its live stream or an account is wanted, and nothing listens there; it
/// stops with the app. If another process serves that URL, each further session in a room checks whether it still does.
final class AppServer: Sendable {
    /// The process that serves the URL.
    private enum Host { case app, other }
    private typealias Answer = AsyncStream<Result<Host, any Error>>.Continuation

    private let configuration: ServerConfiguration
    private let address: String
    /// The file that the server offers as a live stream; nil for none.
    private let file: ServedFile?
    private let logger: Logger
    private let openServices: @Sendable () async -> ServedServices
    private let whenStarted: @Sendable (EmbeddedServer.Start, String, ServedServices) async -> Void
    private let knownCode = Mutex<String?>(nil)
    private let requests = AsyncStream.makeStream(of: Answer.self)

    /// Creates a server that would listen at `address`, the URL of `configuration`, and offer `file` as a live stream.
    ///
    /// `services` opens the services that store data whenever the server starts.
    init(
        _ configuration: ServerConfiguration = ServerConfiguration(),
        address: String = EmbeddedServer.defaultURL,
        offering file: ServedFile? = nil,
        services: @escaping @Sendable () async -> ServedServices = { .none },
        logger: Logger,
        whenStarted: @escaping @Sendable (EmbeddedServer.Start, String, ServedServices) async -> Void
    ) {
        (self.configuration, self.address, self.file) = (configuration, address, file)
        (self.logger, self.whenStarted, openServices) = (logger, whenStarted, services)
    }

    /// The code with which everybody signs in; nil if this app serves no accounts at present.
    var testCode: String? { knownCode.withLock(\.self) }

    /// Starts the server if nothing listens at its URL, and returns this URL.
    ///
    /// - Throws: `Failure` if the server cannot start, or `CancellationError`.
    func url() async throws -> String {
        _ = try await host()
        return address
    }

    /// Starts the server as `url()` does, with its live stream; nil if it offers none, or if another process serves the
    /// URL.
    func streamURL() async -> String? {
        guard file != nil, (try? await host()) == .app else { return nil }
        return ServedFile.url(on: address)
    }

    /// The longest time for which the live stream is waited for.
    private static let publicationLimit = Duration.seconds(15)

    /// Waits until the live stream can be played; false if it has failed.
    func streamIsPublished() async -> Bool {
        guard let channel = file?.channel else { return false }
        return (try? await withDeadline(Self.publicationLimit) { await channel.isPublished() }) ?? false
    }

    private func host() async throws -> Host {
        let (answers, answer) = AsyncStream.makeStream(of: Result<Host, any Error>.self)
        guard case .enqueued = requests.continuation.yield(answer) else { throw CancellationError() }
        for await result in answers { return try result.get() }
        throw CancellationError()
    }

    /// Answers requests for the server and runs it, until `stop()` is called.
    func run() async {
        for await request in requests.stream {
            // Their database would be opened and closed again for nothing.
            if await isServedByOther() {
                request.yield(.success(.other))
                continue
            }
            do {
                let stored = await openServices()
                defer { knownCode.withLock { $0 = nil } }
                var services = stored.services(logger)
                if let file { services.append(file.service) }
                services.append(DescriptionService())
                try await SignalingServer.run(
                    configuration,
                    services: services,
                    logger: logger
                ) { listening in
                    knownCode.withLock { $0 = stored.accounts.testCode }
                    await whenStarted(.nobodyListened, listening.url, stored)
                    request.yield(.success(.app))
                    if let file { await file.offer(answerRequests) } else { await answerRequests() }
                    await listening.drain(within: EmbeddedServer.drainLimit)
                }
            } catch ServerError.addressInUse {
                request.yield(.success(.other))  // as a client of the server that listens there
            } catch let error as ServerError {
                request.yield(.failure(EmbeddedServer.failure(error)))
            } catch {
                request.yield(.failure(error))
            }
        }
    }

    /// Checks whether another process listens at the address.
    private func isServedByOther() async -> Bool {
        let stream = try? await withDeadline(.seconds(1)) {
            try await NetworkStream.connect(
                to: self.configuration.host,
                port: self.configuration.port,
                over: .tcp
            )
        }
        return stream.flatMap(\.self) != nil
    }

    /// Answers requests while the server runs.
    private func answerRequests() async {
        for await request in requests.stream { request.yield(.success(.app)) }
    }

    /// Stops the server after its clients have been notified.
    func stop() { requests.continuation.finish() }
}
