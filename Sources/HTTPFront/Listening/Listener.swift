package import NIOCore
internal import NIOPosix

/// The listening socket of a server.
package struct Listener: Sendable {
    /// The port that the server listens on; if port 0 was asked for, the port that the system chose.
    package let port: Int
    private let channel: any Channel
    private let front: NIOLoopBound<FrontServer>

    /// The sizes of a connection's read buffer in bytes.
    ///
    /// Until a connection closes, NIO retains as many buffers of the maximum size as it fills in one read cycle
    /// (`maxMessagesPerRead`): by default, 256 KiB for each idle connection.
    private static let readBuffers = AdaptiveRecvByteBufferAllocator(
        minimum: 64,
        initial: 2048,
        maximum: 8192
    )

    /// Binds the listening socket, and accepts connections for the server.
    ///
    /// - Throws: `ServerError`; the server is then shut down.
    package static func bind(
        _ front: NIOLoopBound<FrontServer>,
        host: String,
        port: Int
    ) async throws -> Listener {
        let loop = front.eventLoop
        let bootstrap = ServerBootstrap(group: loop)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.recvAllocator, value: Self.readBuffers)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try front.value.accept(channel) }
            }
        do {
            let socket = try await ListeningSocket.listening(host: host, port: port)
            let isOnLoopback = socket.isOnLoopback
            try await loop.submit { front.value.listens(onLoopback: isOnLoopback) }.get()
            let channel = try await bootstrap.withBoundSocket(socket.descriptor).get()
            try socket.restoreBacklog()
            return Listener(port: channel.localAddress?.port ?? port, channel: channel, front: front)
        } catch {
            try? await loop.flatSubmit { front.value.shutDown() }.get()
            throw ServerError(binding: error, host: host, port: port)
        }
    }

    /// Stops accepting connections, notifies all clients and closes their connections.
    package func close() async {
        try? await channel.close()
        let loop = channel.eventLoop
        // A client in this process may just have sent its last message: give the event loop time to read it.
        try? await loop.scheduleTask(in: .milliseconds(20)) {}.futureResult.get()
        try? await loop.flatSubmit { front.value.shutDown() }.get()
    }
}
