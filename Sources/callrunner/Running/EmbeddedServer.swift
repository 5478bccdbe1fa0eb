internal import Logging
internal import SignalingServer

/// The server of a call: the one that was named, or one of our own where nothing listens.
struct EmbeddedServer {
    static let defaultURL = "http://127.0.0.1:3000"

    /// What `--server` says.
    let named: String?
    let logger: Logger

    /// Calls `body` with the server's URL; an embedded server runs until `body` returns and then tells
    /// everybody that it leaves.
    ///
    /// Of processes that start at the same instant one gets the address; the others are its clients.
    func withServer<Result>(
        whenStarted: (String) async -> Void,
        _ body: (String) async throws -> Result
    ) async throws -> Result {
        if let named { return try await body(named) }
        do {
            return try await SignalingServer.run(ServerConfiguration(), logger: logger) { listening in
                await whenStarted(listening.url)
                return try await body(listening.url)
            }
        } catch ServerError.addressInUse {
            return try await body(Self.defaultURL)
        }
    }
}
