internal import HTTPFront
internal import Logging
internal import SignalingServer

/// The embedded signaling server of the app.
///
/// It starts when a room at its URL is joined and nothing listens there, and stops with the app. If another
/// process serves that URL, each further session in a room checks whether it still does.
final class AppServer: Sendable {
    private typealias Answer = AsyncStream<Result<Void, any Error>>.Continuation

    private let configuration: ServerConfiguration
    private let address: String
    private let logger: Logger
    private let whenStarted: @Sendable (EmbeddedServer.Start, String) async -> Void
    private let requests = AsyncStream.makeStream(of: Answer.self)

    /// Creates a server that would listen at `address`, the URL of `configuration`.
    init(
        _ configuration: ServerConfiguration = ServerConfiguration(),
        address: String = EmbeddedServer.defaultURL,
        logger: Logger,
        whenStarted: @escaping @Sendable (EmbeddedServer.Start, String) async -> Void
    ) {
        (self.configuration, self.address) = (configuration, address)
        (self.logger, self.whenStarted) = (logger, whenStarted)
    }

    /// Starts the server if nothing listens at its URL, and returns this URL.
    ///
    /// - Throws: `Failure` if the server cannot start, or `CancellationError`.
    func url() async throws -> String {
        let (answers, answer) = AsyncStream.makeStream(of: Result<Void, any Error>.self)
        guard case .enqueued = requests.continuation.yield(answer) else { throw CancellationError() }
        for await result in answers {
            try result.get()
            return address
        }
        throw CancellationError()
    }

    /// Answers requests for the server and runs it, until `stop()` is called.
    func run() async {
        for await request in requests.stream {
            do {
                try await SignalingServer.run(configuration, logger: logger) { [requests] listening in
                    await whenStarted(.nobodyListened, listening.url)
                    request.yield(.success(()))
                    for await request in requests.stream { request.yield(.success(())) }
                    await listening.drain(within: EmbeddedServer.drainLimit)
                }
            } catch ServerError.addressInUse {
                request.yield(.success(()))  // as a client of the server that listens there
            } catch let error as ServerError {
                request.yield(.failure(EmbeddedServer.failure(error)))
            } catch {
                request.yield(.failure(error))
            }
        }
    }

    /// Stops the server after its clients have been notified.
    func stop() { requests.continuation.finish() }
}
