internal import Hummingbird
package import Logging
internal import NIOCore
internal import ServiceLifecycle

/// The `/metrics` endpoint of a process other than a server, on loopback for a scraper on the same computer.
package enum MetricsEndpoint {
    /// Serves `text` at `/metrics` on 127.0.0.1 while `body` runs; `body` receives the URL.
    ///
    /// Port 0 stands for any free port.
    ///
    /// - Returns: The result of `body`.
    /// - Throws: `ServerError` if the port cannot be listened on; any error of `body`.
    package static func run<Result: Sendable>(
        port: Int,
        logger: Logger,
        text: @escaping @Sendable () -> PrometheusText,
        _ body: @escaping @Sendable (String) async throws -> Result
    ) async throws -> Result {
        let router = Router()
        let access = AccessPolicy(host: "127.0.0.1", origins: .own, publicHosts: PublicHosts())
        router.get("/metrics") { request, _ in
            request.isAnswered(under: access) ? answer(text()) : Response(status: .forbidden)
        }
        let (addresses, address) = AsyncStream.makeStream(of: String.self)
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                address.yield("http://127.0.0.1:\(channel.localAddress?.port ?? port)/metrics")
                address.finish()
            },
            logger: logger
        )
        let service = ServiceGroup(
            configuration: .init(services: [.init(service: application)], logger: logger)
        )
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                defer { address.finish() }
                do { try await service.run() } catch {
                    throw ServerError(binding: error, host: "127.0.0.1", port: port)
                }
                return nil
            }
            group.addTask {
                for await url in addresses {
                    let result: Swift.Result<Result, any Error>
                    do { result = .success(try await body(url)) } catch { result = .failure(error) }
                    await service.triggerGracefulShutdown()
                    return try result.get()
                }
                return nil
            }
            var result: Result?
            while let ended = try await group.next() { result = ended ?? result }
            guard let result else { throw ServerError.bind("the metrics server did not start") }
            return result
        }
    }

    private static func answer(_ text: PrometheusText) -> Response {
        var headers = HTTPFields()
        headers[.contentType] = PrometheusText.contentType
        headers[.xContentTypeOptions] = "nosniff"
        let body = ResponseBody(byteBuffer: ByteBuffer(string: text.text))
        return Response(status: .ok, headers: headers, body: body)
    }
}
