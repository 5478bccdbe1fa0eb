@testable import SignalingServer

extension ServerConfiguration {
    /// Whether the server behaves as the official test suites expect, instead of serving rooms.
    var isConformanceServer: Bool {
        get { makeConnection != nil }
        set { makeConnection = newValue ? Self.makeConformanceConnection : nil }
    }

    @Sendable private static func makeConformanceConnection(
        _ session: EngineSession,
        _ endpoint: EngineEndpoint
    ) -> any EngineSessionDelegate {
        switch endpoint {
        case .plain: EchoConnection(session)
        case .socket: ConformanceConnection(session)
        }
    }

    /// The configuration that the official test suites of Engine.IO 4 and Socket.IO 5 expect, on port 3000.
    static var conformance: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.isConformanceServer = true
        configuration.pingInterval = .milliseconds(300)
        configuration.pingTimeout = .milliseconds(200)
        configuration.connectTimeout = .seconds(1)
        configuration.maximumPayload = 1_000_000
        return configuration
    }
}
