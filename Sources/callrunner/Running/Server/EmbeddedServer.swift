internal import AppFlow
internal import HTTPFront
internal import Logging
internal import SignalingServer

/// The signaling server of a call: that of `--server`, the one at the default URL, or else an embedded one.
struct EmbeddedServer {
    static let defaultURL = "http://127.0.0.1:3000"

    /// The reason why an embedded server starts.
    enum Start {
        case nobodyListened, otherWasLost

        var reason: String {
            switch self {
            case .nobodyListened: "no server was listening"
            case .otherWasLost: "the previous server has stopped"
            }
        }
    }

    /// The maximum time for which an embedded server waits for its clients to leave before it stops.
    ///
    /// It is longer than the half second within which a client that receives a leave and loses its connection treats
    /// both as the loss of its server.
    static let drainLimit = Duration.seconds(1)

    /// The URL of the server from flags, environment or configuration file; nil if none is given.
    let named: String?
    /// Whether an embedded server replaces a server that was lost; true if the process stays in its room or
    /// repeats the call.
    var replacesLost = false
    let logger: Logger

    /// Calls `body` with the server's URL; an embedded server runs until `body` has returned or thrown.
    ///
    /// An embedded server notifies its clients before it stops.
    ///
    /// If several processes start at the same time, one listens on the address and the others become its
    /// clients. The same applies to processes that lose their server; `body` reports this loss by calling its
    /// second argument.
    /// - Throws: `Failure` if no server can be started, and the errors of `body`.
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
                    await listening.drain(within: Self.drainLimit)
                    return result
                } catch {
                    await listening.drain(within: Self.drainLimit)
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
        let (losses, lossSink) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        return try await withThrowingTaskGroup { group in
            group.addTask {
                for await _ in losses {
                    // If this fails, another process was faster, and this process becomes a client of that
                    // server.
                    try? await SignalingServer.run(ServerConfiguration(), logger: logger) { listening in
                        await whenStarted(.otherWasLost, listening.url)
                        for await _ in losses {}
                    }
                }
            }
            defer { group.cancelAll() }
            return try await body(Self.defaultURL) { lossSink.yield() }
        }
    }

    /// Creates the failure of a server that cannot start; its hint is to name a server, because the user
    /// chose no address.
    static func failure(_ error: ServerError) -> Failure {
        Failure(
            code: "server-failed",
            message: "no server was given, and none can be started here: \(error)",
            hint: "give a server with --server URL",
            exit: RunStatus.signalingFailed.rawValue
        )
    }
}
