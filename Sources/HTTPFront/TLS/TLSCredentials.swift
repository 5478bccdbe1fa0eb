internal import FoundationEssentials
package import Logging
package import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// A server's certificate and key for TLS (RFC 8446), which can be replaced while the server runs.
package final class TLSCredentials: Sendable {
    package enum Source: Hashable, Sendable {
        /// The paths of PEM files.
        case files(certificate: String, key: String)
        /// A certificate and key created for this process, with this computer's names and `host`.
        case selfSigned(host: String)
    }

    private let source: Source
    private let pair: Mutex<TLSPair>

    /// Loads or creates a certificate and its key.
    ///
    /// - Throws: `TLSProblem`; for a self-signed certificate, any error of swift-certificates or NIOSSL.
    package init(_ source: Source) async throws {
        self.source = source
        pair = Mutex(try await Self.load(source))
    }

    /// The SHA-256 fingerprint of the certificate for new connections, in hexadecimal with colons.
    package var fingerprint: String { pair.withLock { $0.fingerprint } }

    /// Reads the files again, or creates a new self-signed certificate, for new connections.
    ///
    /// If this fails, the old certificate remains in use.
    ///
    /// - Returns: Whether the new certificate is in use.
    @discardableResult
    package func reload(_ logger: Logger) async -> Bool {
        do {
            let new = try await Self.load(source)
            pair.withLock { $0 = new }
            logger.notice("certificate reloaded", metadata: Self.metadata(new))
            if new.expiry < .now { logger.warning("certificate has expired", metadata: Self.metadata(new)) }
            return true
        } catch {
            logger.error(
                "certificate not reloaded; the old one remains in use",
                metadata: ["reason": "\(error)"]
            )
            return false
        }
    }

    /// Sets up TLS on an accepted connection; a client that sends plain HTTP receives an explanation.
    package func secure(_ channel: any Channel) throws {
        let context = pair.withLock { $0.context }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(PlainRequestRefusal())
        try pipeline.addHandler(NIOSSLServerHandler(context: context))
    }

    /// Sets up TLS on an accepted connection of a protocol other than HTTP.
    package func secureStream(_ channel: any Channel) throws {
        let context = pair.withLock { $0.context }
        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
    }

    private static func load(_ source: Source) async throws -> TLSPair {
        try await NIOThreadPool.singleton.runIfActive {
            switch source {
            case .files(let certificate, let key):
                try TLSPair(certificatePath: certificate, keyPath: key)
            case .selfSigned(let host):
                try TLSPair(SelfSignedCertificate(host: host))
            }
        }
    }

    private static func metadata(_ pair: TLSPair) -> Logger.Metadata {
        ["fingerprint": "\(pair.fingerprint)", "expires": "\(pair.expiry.formatted(.iso8601))"]
    }
}
