internal import AppFlow
internal import Basics
internal import HTTPFront
internal import LiveServer
internal import Logging
internal import ServerStore
internal import SignalingServer

/// The live streams that encoders publish to a server.
struct ServedStreams {
    let streams: LiveStreams
    private let token: LiveToken?
    private let port: Int

    /// Opens the database for the streams; nil if there are to be none.
    ///
    /// - Throws: `Failure` with exit code 64 if a flag is wrong, or if the streams cannot be stored.
    static func open(
        _ flags: LiveServerFlags,
        _ surroundings: Surroundings,
        _ server: ServerConfiguration,
        _ store: ServedStore
    ) async throws(Failure) -> ServedStreams? {
        guard let port = try flags.port(surroundings.settings) else { return nil }
        let token = try flags.token(surroundings.settings)
        guard server.cluster == nil else {
            throw .usage(
                "live streams cannot be published to servers that share rooms by --redis",
                hint: "run one server without --redis for live streams"
            )
        }
        guard store.folder != nil else {
            throw .usage(
                "live streams cannot be stored: there is no folder for their data",
                hint: "give one with --data, or set HOME"
            )
        }
        do throws(ServerStoreFailure) {
            let streams = try await LiveStreams(try await store.database())
            return ServedStreams(streams: streams, token: token, port: port)
        } catch {
            throw .usage("live streams cannot be stored: \(error.message)", hint: error.hint)
        }
    }

    /// The recordings of the streams, and the API for both if there is a token for it.
    func services(_ logger: Logger) -> [any WebService] {
        let recordings = RecordingService(streams, logger: logger)
        guard let token else { return [recordings] }
        return [recordings, LiveStreamsService(streams, token, logger: logger)]
    }

    /// Accepts encoders while `body` runs, which gets the URL to which they publish.
    ///
    /// - Throws: `Failure` if the server cannot listen; the errors of `body`.
    func offer<Result>(
        on host: String,
        _ tls: TLSCredentials?,
        logger: Logger,
        _ body: (_ url: String) async -> Result
    ) async throws -> Result {
        do {
            return try await streams.record(logger) {
                try await IngestServer.run(streams, host: host, port: port, tls: tls, logger: logger) {
                    port in
                    let name = host.contains(":") ? "[\(host)]" : host
                    return await body("\(tls == nil ? "rtmp" : "rtmps")://\(name):\(port)/app")
                }
            }
        } catch let error as ServerError {
            throw Failure(
                code: "rtmp",
                message: "encoders cannot publish live streams: \(error)",
                hint: "choose another --rtmp-port",
                exit: RunStatus.signalingFailed.rawValue
            )
        }
    }
}
