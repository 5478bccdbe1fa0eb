internal import Glibc
internal import NIOCore

/// A listening TCP socket that child processes do not inherit.
///
/// NIO creates sockets without `SOCK_CLOEXEC`: a child that outlived the server would keep the port in use.
package struct ListeningSocket {
    private static let backlog: CInt = 1024
    /// The IPv6 loopback address `::1`.
    private static let loopback = [UInt8](repeating: 0, count: 15) + [1]

    package let descriptor: CInt
    /// Whether the socket is bound to a loopback address, which only this computer can reach.
    package let isOnLoopback: Bool

    /// The socket could be bound, but another one began to listen at the same moment.
    private struct Collision: Error {
        let error: IOError
    }

    /// The maximum number of attempts to listen.
    private static let mostAttempts = 20

    /// Creates a socket, binds it to the address of `host` and to `port`, and listens.
    ///
    /// If two processes begin to listen at the same moment, the kernel may refuse both of them. So each tries again after
    /// a random time, until one has won, and the other cannot even bind its socket.
    /// - Throws: `IOError`, or `SocketAddressError` if the host is unknown.
    package static func listening(host: String, port: Int) async throws -> ListeningSocket {
        for _ in 1..<mostAttempts {
            do { return try ListeningSocket(host: host, port: port) } catch is Collision {
                try await Task.sleep(for: .microseconds(Int.random(in: 0..<20_000)))
            }
        }
        do { return try ListeningSocket(host: host, port: port) } catch let collision as Collision {
            throw collision.error
        }
    }

    private init(host: String, port: Int) throws {
        let address = try SocketAddress.makeAddressResolvingHost(host, port: port)
        let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let bytes = address.ipBytes
        isOnLoopback = bytes.count == 4 && bytes.first == 127 || bytes == Self.loopback
        descriptor = socket(address.protocol.rawValue, type, 0)
        try Self.check(descriptor, "socket")
        do {
            // SO_REUSEADDR only skips the wait for old connections; unlike SO_REUSEPORT, it does not let two
            // servers share the port.
            var isOn: CInt = 1
            let length = socklen_t(MemoryLayout<CInt>.size)
            try Self.check(setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, length), "setsockopt")
            if case .v6 = address {
                // Without this option, a system setting decides whether `::` also accepts IPv4.
                var isOff: CInt = 0
                try Self.check(
                    setsockopt(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &isOff, length),
                    "setsockopt"
                )
            }
            try Self.check(
                address.withSockAddr { Glibc.bind(descriptor, $0, socklen_t($1)) },
                "bind"
            )
            do { try restoreBacklog() } catch let error as IOError where error.errnoCode == EADDRINUSE {
                throw Collision(error: error)
            }
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    /// Sets the intended backlog by calling `listen` again.
    ///
    /// NIO calls `listen` with its own default backlog when it takes over the socket.
    package func restoreBacklog() throws { try Self.check(listen(descriptor, Self.backlog), "listen") }

    private static func check(_ result: CInt, _ call: String) throws {
        if result < 0 { throw IOError(errnoCode: errno, reason: call) }
    }
}
