internal import Glibc
internal import NIOCore

/// An error that prevents a server from listening.
package enum ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another socket already listens on the address and port.
    case addressInUse(host: String, port: Int)
    case bind(String)

    /// Creates the error to report if listening on `host` and `port` fails with `error`.
    package init(binding error: any Error, host: String, port: Int) {
        let address = "\(host):\(port)"
        switch error {
        case let error as IOError where error.errnoCode == EADDRINUSE:
            self = .addressInUse(host: host, port: port)
        case let error as IOError: self = .bind("\(address): \(String(cString: strerror(error.errnoCode)))")
        case is SocketAddressError.UnknownHost:
            self = .bind("“\(host)” is not a known host name or IP address")
        default: self = .bind("\(address): \(error)")
        }
    }

    package var description: String {
        switch self {
        case .addressInUse(let host, let port): "\(host):\(port) is in use"
        case .bind(let message): "cannot listen: \(message)"
        }
    }
}
