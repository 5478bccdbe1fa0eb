internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket

/// A minimal relay on NIO's own WebSocket handlers: two clients with the same `roomId` form a pair.
///
/// It prints its URL in the first line, like `callrunner serve --json`, and runs until it is terminated.
@main
enum BareRelay {
    static func main() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let rooms = try await group.next().submit { NIOLoopBound(Rooms(), eventLoop: group.next()) }.get()
        let listening = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                        withServerUpgrade: upgrade(to: rooms)
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = listening.localAddress?.port ?? 0
        print(#"{"event":"server.listening","url":"http://127.0.0.1:\#(port)"}"#)
        fflush(nil)
        try await listening.closeFuture.get()
    }

    private static func upgrade(
        to rooms: NIOLoopBound<Rooms>
    ) -> NIOHTTPServerUpgradeConfiguration {
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: 1_000_000,
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture {
                    let handler = RelayHandler(rooms.value, room: room(in: head.uri))
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
        )
        return (upgraders: [upgrader], completionHandler: { _ in })
    }

    private static func room(in uri: String) -> String {
        let key = "roomId="
        let pair = uri.split { $0 == "?" || $0 == "&" }.first { $0.hasPrefix(key) }
        return String(pair?.dropFirst(key.count) ?? "")
    }
}
