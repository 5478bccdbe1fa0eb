internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// The descriptions of failed connections to Redis.
enum ConnectionProblem {
    static let untrusted = "its certificate is not trusted, or is not for this host"
    static let noTLS = "the TLS handshake failed"

    static func words(for error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { words(for: $0.error) } ?? "unknown host “\(error.host)”"
        case let error as IOError: String(cString: strerror(error.errnoCode))
        case let error as NIOSSLError: words(forTLS: "\(error)")
        case is NIOSSLExtraError, is BoringSSLError: words(forTLS: "\(error)")
        case let error as ChannelError:
            if case .connectTimeout = error { "the connection timed out" } else { "\(error)" }
        default: "\(error)"
        }
    }

    /// Describes a TLS error.
    ///
    /// BoringSSL reports a list of its source files, in which only the error code is informative.
    private static func words(forTLS stack: String) -> String {
        let isUntrusted =
            stack.contains("CERTIFICATE_VERIFY_FAILED") || stack.contains("failedToValidateHostname")
        return isUntrusted ? untrusted : noTLS
    }
}
