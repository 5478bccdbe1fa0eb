internal import Basics
internal import GLibKit
internal import HTTPFront
internal import LiveServer
internal import Logging
internal import SignalingServer
internal import Synchronization

/// The embedded signaling server of the app.
///
/// It starts if nothing listens at its URL when a room there is joined, or when its live stream or an account is
/// requested. It stops with the app. If another process serves that URL, each later session in a room checks whether it
/// still does.
final class AppServer: Sendable {
    /// The process that serves the URL.
    private enum Host { case app, other }
    private typealias Answer = AsyncStream<Result<Host, any Error>>.Continuation

    /// A request for the server.
    private struct Request {
        let answer: Answer
        /// Whether accounts are requested; if they are off, the server tries to start them.
        var wantsAccounts = false
        /// The services with which to start the server; nil if they have not been opened yet.
        var services: ServedServices?
    }

    private let configuration: ServerConfiguration
    private let address: String
    /// The file that the server offers as a live stream; nil for none.
    private let file: ServedFile?
    private let logger: Logger
    private let openServices: @Sendable () async -> ServedServices
    private let whenStarted: @Sendable (EmbeddedServer.Start, String, ServedServices) async -> Void
    /// The accounts that this app serves at present; nil if it serves none.
    private let accounts = Mutex<ServedAccounts?>(nil)
    private let requests = AsyncStream.makeStream(of: Request.self)

    /// Creates the server, without starting it, for `address`, the URL of `configuration`; it offers `file` as a live
    /// stream.
    ///
    /// `services` opens the services that store data; it is called whenever the server starts, or accounts are tried
    /// again.
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

    /// The sign-in code that all users share; nil if there is none, or if this app serves no accounts at present.
    var testCode: String? { accounts.withLock { $0?.testCode } }

    /// Starts the server if nothing listens at its URL, and returns this URL.
    ///
    /// - Throws: `Failure` if the server cannot start or a foreign program listens at the URL, or `CancellationError`.
    func url() async throws -> String {
        _ = try await host()
        return address
    }

    /// Starts the server as `url()` does, and tries again to start accounts if they are off.
    ///
    /// - Returns: The reason why this app has no accounts; nil if it has some, or if another process serves the URL.
    /// - Throws: `Failure` if the server cannot start, or `CancellationError`.
    func reasonWithoutAccounts() async throws -> ServedAccounts.Reason? {
        guard try await host(wantsAccounts: true) == .app else { return nil }
        return accounts.withLock { $0?.reason }
    }

    /// Starts the server as `url()` does, and returns the URL of its live stream; nil if it offers none, or if another
    /// process serves the URL.
    func streamURL() async -> String? {
        guard file != nil, (try? await host()) == .app else { return nil }
        return ServedFile.url(on: address)
    }

    /// The maximum time to wait for the live stream.
    private static let publicationLimit = Duration.seconds(30)

    /// Waits until the live stream can be played; false if there is none, or if it has failed or is not ready in time.
    func streamIsPublished() async -> Bool {
        guard let channel = file?.channel else { return false }
        return (try? await withDeadline(Self.publicationLimit) { await channel.isPublished() }) ?? false
    }

    private func host(wantsAccounts: Bool = false) async throws -> Host {
        let (answers, answer) = AsyncStream.makeStream(of: Result<Host, any Error>.self)
        guard
            case .enqueued = requests.continuation.yield(
                Request(answer: answer, wantsAccounts: wantsAccounts)
            )
        else { throw CancellationError() }
        for await result in answers { return try result.get() }
        throw CancellationError()
    }

    /// Answers requests for the server and runs it, until `stop()` is called.
    func run() async {
        for await request in requests.stream {
            var next: Request? = request
            while let request = next { next = await serve(request) }
        }
    }

    /// Runs the server, if nothing else listens at the URL, and answers this request and the following ones.
    ///
    /// - Returns: The request for which the server must be started again; nil if there is none.
    private func serve(_ request: Request) async -> Request? {
        // Avoids opening the database if another process serves the URL.
        if request.services == nil, await isServedByOther() {
            request.answer.yield(await otherHost())
            return nil
        }
        do {
            let stored = if let services = request.services { services } else { await openServices() }
            defer { accounts.withLock { $0 = nil } }
            var services = stored.services(logger)
            if let file { services.append(file.service) }
            services.append(DescriptionService())
            return try await SignalingServer.run(
                configuration,
                services: services,
                logger: logger
            ) { listening in
                accounts.withLock { $0 = stored.accounts }
                await whenStarted(.nobodyListened, listening.url, stored)
                request.answer.yield(.success(.app))
                let next =
                    if let file { await file.offer(answerRequests) } else { await answerRequests() }
                await listening.drain(within: EmbeddedServer.drainLimit)
                return next
            }
        } catch ServerError.addressInUse {
            request.answer.yield(await otherHost())
        } catch let error as ServerError {
            request.answer.yield(.failure(EmbeddedServer.failure(error)))
        } catch {
            request.answer.yield(.failure(error))
        }
        return nil
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

    /// Returns the host if another process listens at the address, or the failure if that is no server for calls.
    private func otherHost() async -> Result<Host, any Error> {
        guard await ServerProbe(address) == .foreign else { return .success(.other) }
        return .failure(
            Failure.foreignServer(address, remedy: "stop that program, or name another server with --server")
        )
    }

    /// Answers requests while the server runs.
    ///
    /// - Returns: The request for which the server must be restarted, because accounts were off and can run now; nil if
    ///   the server is to stop.
    private func answerRequests() async -> Request? {
        for await request in requests.stream {
            if request.wantsAccounts, accounts.withLock({ $0?.reason }) != nil {
                let services = await openServices()
                if services.accounts.reason == nil {
                    return Request(answer: request.answer, services: services)
                }
                accounts.withLock { $0 = services.accounts }
            }
            request.answer.yield(.success(.app))
        }
        return nil
    }

    /// Stops the server after its clients have been notified.
    func stop() { requests.continuation.finish() }
}
