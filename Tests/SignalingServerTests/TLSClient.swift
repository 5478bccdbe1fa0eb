import Crypto
import NIOCore
import NIOPosix
import NIOSSL
import SignalingServer
import Synchronization

/// A TLS client that accepts any certificate and returns it.
enum TLSClient {
    struct Answer {
        let text: String
        /// The SHA-256 of the server's certificate, in hexadecimal with colons.
        let fingerprint: String
        let certificate: NIOSSLCertificate?
    }

    /// Sends a request over TLS and reads to the end of the connection.
    static func get(
        _ server: ListeningServer,
        _ path: String = "/healthz",
        maximumVersion: TLSVersion? = nil
    ) async throws -> Answer {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .noHostnameVerification
        configuration.minimumTLSVersion = .tlsv1
        configuration.maximumTLSVersion = maximumVersion
        let context = try NIOSSLContext(configuration: configuration)
        let seen = Mutex<NIOSSLCertificate?>(nil)
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(to: SocketAddress(ipAddress: "127.0.0.1", port: server.port)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = try NIOSSLClientHandler(
                        context: context,
                        serverHostname: nil,
                        customVerificationCallback: { certificates, verified in
                            seen.withLock { $0 = certificates.first }
                            verified.succeed(.certificateVerified)
                        }
                    )
                    try channel.pipeline.syncOperations.addHandler(handler)
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel
                    )
                }
            }
        let text = try await channel.executeThenClose { inbound, outbound in
            let headers = "Host: localhost\r\nConnection: close\r\n"
            try await outbound.write(ByteBuffer(string: "GET \(path) HTTP/1.1\r\n\(headers)\r\n"))
            var text = ByteBuffer()
            for try await part in inbound { text.writeImmutableBuffer(part) }
            return String(buffer: text)
        }
        let certificate = seen.withLock { $0 }
        let digest = try certificate.map { SHA256.hash(data: try $0.toDERBytes()) }.map(Array.init) ?? []
        let pairs = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        return Answer(text: text, fingerprint: pairs.joined(separator: ":"), certificate: certificate)
    }
}
