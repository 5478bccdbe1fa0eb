import Basics
import CGLib
import CSoup
import GLibKit
import SocketIOClient
import Testing

/// A Socket.IO server whose messages are sent by the test.
@LoopActor
final class ScriptedServer {
    let port: UInt32
    let polling = ScriptedPolling()
    private let server: ObjectRef
    private let sockets: AsyncStream<ScriptedSocket>

    /// Starts a server on a free loopback port, with TLS if a certificate is given.
    ///
    /// It accepts WebSocket and polling on `/socket.io/`, and answers other requests with 404.
    init(certificate: ObjectRef? = nil) throws {
        let made = g_object_new_with_properties(soup_server_get_type(), 0, nil, nil)
        let server = ObjectRef(taking: try #require(made))
        let handle = server.cast(to: SoupServer.self)
        if let certificate {
            soup_server_set_tls_certificate(handle, certificate.cast(to: GTlsCertificate.self))
        }
        let (sockets, accepted) = AsyncStream.makeStream(of: ScriptedSocket.self)
        soup_server_add_websocket_handler(
            handle,
            "/socket.io/",
            nil,
            nil,
            { _, _, _, connection, data in
                // libsoup passes its own connection and the pointer given below.
                let connection = ObjectRef(retaining: UnsafeMutableRawPointer(connection!))
                Unmanaged<Box<ScriptedSocket>>.fromOpaque(data!).takeUnretainedValue().continuation
                    .yield(ScriptedSocket(connection))
            },
            Unmanaged.passRetained(Box(accepted)).toOpaque(),
            { Unmanaged<Box<ScriptedSocket>>.fromOpaque($0!).release() }  // the pointer retained above
        )
        polling.attach(to: server)
        let options = certificate == nil ? SoupServerListenOptions(0) : SOUP_SERVER_LISTEN_HTTPS
        _ = try withGError { soup_server_listen_local(handle, 0, options, $0) }
        let addresses = soup_server_get_uris(handle)
        defer { g_slist_free_full(addresses) { g_uri_unref(OpaquePointer($0)) } }
        port = UInt32(g_uri_get_port(OpaquePointer(try #require(addresses).pointee.data)))
        self.server = server
        self.sockets = sockets
    }

    /// Closes all connections and the port.
    func stop() { soup_server_disconnect(server.cast(to: SoupServer.self)) }

    isolated deinit { soup_server_disconnect(server.cast(to: SoupServer.self)) }

    /// Waits for the next WebSocket that a client opens.
    func accept() async throws -> ScriptedSocket { try #require(await sockets.next()) }

    /// Accepts the next WebSocket, sends the Engine.IO handshake, and answers the Socket.IO CONNECT.
    func welcome(sid: String = "s1") async throws -> ScriptedSocket {
        let socket = try await accept()
        socket.send(handshake())
        #expect(await socket.next()?.hasPrefix("40") == true)
        socket.send("40{\"sid\":\"\(sid)\"}")
        return socket
    }

    nonisolated func configuration(
        path: String = "/socket.io/",
        query: [String: String] = [:]
    ) throws -> SocketConfiguration {
        var configuration = try SocketConfiguration(
            url: "http://127.0.0.1:\(port)",
            path: path,
            query: query
        )
        // A network change of the host must not disturb the test.
        configuration.network = .unchanging
        configuration.backoff = Backoff(initial: .milliseconds(1), maximum: .milliseconds(5))
        return configuration
    }
}

/// Creates the open packet of a server with a ping interval of 25 s and a timeout of 20 s.
///
/// `upgrades` is the content of its JSON array of transports: a quoted name, or empty.
func handshake(upgrades: String = "", maxPayload: Int = 1_000_000) -> String {
    #"0{"sid":"engine","upgrades":[\#(upgrades)],"pingInterval":25000,"pingTimeout":20000,"#
        + #""maxPayload":\#(maxPayload)}"#
}

extension LocalNetwork {
    /// A network that reports neither changes nor addresses.
    static var unchanging: LocalNetwork {
        LocalNetwork(changes: AsyncStream { $0.finish() }, addresses: { nil })
    }
}

private final class Box<Element: Sendable>: Sendable {
    let continuation: AsyncStream<Element>.Continuation
    init(_ continuation: AsyncStream<Element>.Continuation) { self.continuation = continuation }
}
