package import HTTPFront
internal import Basics
package import Logging
internal import NIOCore
internal import NIOPosix

/// A server for encoders, which publish streams by RTMP.
package enum IngestServer {
    /// The size of a connection's read buffer in bytes.
    private static let readBuffer = 65_536
    /// The maximum number of bytes that may wait to be sent to an encoder.
    private static let outputLimit = 65_536

    /// Listens while `body` runs, which gets the port.
    ///
    /// The media is handled on an event loop of its own, so that it does not delay calls.
    ///
    /// - Throws: `ServerError` if the server cannot listen; any error of `body`.
    package static func run<Result>(
        _ streams: LiveStreams,
        host: String,
        port: Int,
        tls: TLSCredentials? = nil,
        limits: IngestLimits = IngestLimits(),
        logger: Logger,
        _ body: (_ port: Int) async throws -> Result
    ) async throws -> Result {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let outcome: Swift.Result<Result, any Error>
        do {
            let loop = group.next()
            let (channel, connections) = try await listen(streams, host, port, tls, limits, logger, on: loop)
            do {
                outcome = .success(try await body(channel.localAddress?.port ?? port))
            } catch {
                outcome = .failure(error)
            }
            try? await channel.close()
            try? await loop.flatSubmit { connections.value.closeAll(on: loop) }.get()
        } catch {
            outcome = .failure(error)
        }
        try? await group.shutdownGracefully()
        return try outcome.get()
    }

    private static func listen(
        _ streams: LiveStreams,
        _ host: String,
        _ port: Int,
        _ tls: TLSCredentials?,
        _ limits: IngestLimits,
        _ logger: Logger,
        on loop: any EventLoop
    ) async throws -> (any Channel, NIOLoopBound<IngestConnections>) {
        do {
            let connections = try await loop.submit {
                NIOLoopBound(IngestConnections(limits, logger: logger), eventLoop: loop)
            }.get()
            let bootstrap = ServerBootstrap(group: loop)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelOption(.allowRemoteHalfClosure, value: false)
                .childChannelOption(
                    .writeBufferWaterMark,
                    value: .init(low: outputLimit / 2, high: outputLimit)
                )
                .childChannelOption(
                    .recvAllocator,
                    value: FixedSizeRecvByteBufferAllocator(capacity: readBuffer)
                )
                .childChannelOption(.maxMessagesPerRead, value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try connections.value.accept(channel)
                        try tls?.secureStream(channel)
                        let handler = IngestHandler(streams, connections.value, limits, logger: logger)
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                }
            let socket = try await ListeningSocket.listening(host: host, port: port)
            let channel = try await bootstrap.withBoundSocket(socket.descriptor).get()
            try socket.restoreBacklog()
            return (channel, connections)
        } catch {
            throw ServerError(binding: error, host: host, port: port)
        }
    }
}
