internal import Basics
package import CallCore
package import Logging
internal import SocketIOClient

/// A service that joins rooms on a signaling server that speaks Socket.IO.
package struct LiveSignalingService: SignalingService {
    private let configuration: SignalingConfiguration
    private let logger: Logger
    /// The key by which a server recognizes that a new socket replaces an earlier one of this client.
    private let key: String

    package init(
        _ configuration: SignalingConfiguration,
        logger: Logger = Logger(label: "callrunner.signaling")
    ) {
        self.configuration = configuration
        self.logger = logger
        key = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    }

    package func withRoom<Result: Sendable>(
        _ identity: Identity,
        role: Role,
        _ body: @Sendable (any SignalingChannel) async throws -> Result
    ) async throws -> Result {
        let (events, continuation) = AsyncStream.makeStream(
            of: RoomEvent.self,
            bufferingPolicy: .bufferingOldest(RoomConnection.eventLimit)
        )
        let outgoing = OutgoingSignals()
        let socketConfiguration: SocketConfiguration
        do throws(SocketFailure) {
            socketConfiguration = try self.socketConfiguration(for: identity, role: role)
        } catch {
            continuation.yield(.failed(SignalingFailure(error, url: configuration.shownURL)))
            continuation.finish()
            return try await body(channel(events, nil, identity, outgoing))
        }
        return try await SocketIOClient(socketConfiguration).withSocket { socket throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                let connection = RoomConnection(
                    socket: socket,
                    configuration: configuration,
                    username: identity.username.value,
                    logger: logger,
                    outgoing: outgoing
                )
                group.addTask { await connection.run(reportingTo: continuation) }
                defer { group.cancelAll() }
                return try await body(channel(events, socket, identity, outgoing))
            }
        }
    }

    private func channel(
        _ events: AsyncStream<RoomEvent>,
        _ socket: Socket?,
        _ identity: Identity,
        _ outgoing: OutgoingSignals
    ) -> LiveSignalingChannel {
        LiveSignalingChannel(
            events: events,
            socket: socket,
            username: identity.username.value,
            logger: logger,
            outgoing: outgoing
        )
    }

    private func socketConfiguration(
        for identity: Identity,
        role: Role
    ) throws(SocketFailure) -> SocketConfiguration {
        var socket = try SocketConfiguration(
            url: configuration.serverURL,
            query: [
                "username": identity.username.value, "roomId": identity.room.description,
                "isCaller": role == .caller ? "true" : "false",
            ]
        )
        var auth: JSONObject = ["key": .string(key)]
        if let token = configuration.token { auth["token"] = .string(token) }
        socket.auth = auth
        socket.trust = configuration.caCertificate.map(TLSTrust.authorities) ?? .system
        if configuration.insecure { socket.trust = .anybody }
        socket.connectTimeout = min(configuration.serverTimeout, .seconds(20))
        socket.clock = configuration.clock
        return socket
    }
}
