internal import CallFlow
internal import Logging
internal import SignalingServer

/// The server of a call: the one that was named, or one of our own where nothing listens.
struct EmbeddedServer {
    static let defaultURL = "http://127.0.0.1:3000"

    /// Why a server of our own begins.
    enum Start {
        case nobodyListened, otherWasLost

        var reason: String {
            switch self {
            case .nobodyListened: "no server was listening"
            case .otherWasLost: "the server is gone"
            }
        }
    }

    /// The time in which those who are left may learn that somebody here left, before the server goes too.
    ///
    /// A client that hears of a leaving and loses its connection within half a second takes it for the server's loss.
    private static let farewell = Duration.seconds(1)

    /// What `--server` says.
    let named: String?
    /// Whether a foreign server that goes is replaced by one of our own: for who stays in its room.
    var replacesLost = false
    let logger: Logger

    /// Calls `body` with the server's URL; an embedded server runs until `body` returns and then tells
    /// everybody that it leaves.
    ///
    /// Of processes that start at the same instant one gets the address; the others are its clients. So it is
    /// with those that lose their server, which `body` tells by calling its second argument.
    ///
    /// - Throws: `Failure` where there can be no server; what `body` throws.
    func withServer<Result>(
        whenStarted: @escaping @Sendable (Start, String) async -> Void,
        _ body: (_ url: String, _ whenLost: @escaping @Sendable () -> Void) async throws -> Result
    ) async throws -> Result {
        if let named { return try await body(named, {}) }
        do {
            return try await SignalingServer.run(ServerConfiguration(), logger: logger) { listening in
                await whenStarted(.nobodyListened, listening.url)
                do {
                    let result = try await body(listening.url, {})
                    await listening.drain(within: Self.farewell)
                    return result
                } catch {
                    await listening.drain(within: Self.farewell)
                    throw error
                }
            }
        } catch ServerError.addressInUse {
            return try await asClient(whenStarted, body)
        } catch let error as ServerError {
            throw Self.failure(error)
        }
    }

    private func asClient<Result>(
        _ whenStarted: @escaping @Sendable (Start, String) async -> Void,
        _ body: (_ url: String, _ whenLost: @escaping @Sendable () -> Void) async throws -> Result
    ) async throws -> Result {
        guard replacesLost else { return try await body(Self.defaultURL, {}) }
        let (losses, news) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        return try await withThrowingTaskGroup { group in
            group.addTask {
                for await _ in losses {
                    // Where it fails, somebody else was faster, and is our server now.
                    try? await SignalingServer.run(ServerConfiguration(), logger: logger) { listening in
                        await whenStarted(.otherWasLost, listening.url)
                        for await _ in losses {}
                    }
                }
            }
            defer { group.cancelAll() }
            return try await body(Self.defaultURL) { news.yield() }
        }
    }

    /// Nobody asked for an address here, so it is another server that helps.
    static func failure(_ error: ServerError) -> Failure {
        Failure(
            code: "server-failed",
            message: "no server was named, and none can be had here: \(error)",
            hint: "name a server with --server URL",
            exit: RunStatus.signalingFailed.rawValue
        )
    }
}
