import Glibc
import NIOCore

/// A port of 127.0.0.1 that the system assigns to no other socket during this object's lifetime.
///
/// The system chooses it neither for a listening socket nor as the source port of a connection. A server that
/// binds to this port with `SO_REUSEADDR` can listen on it.
final class HeldPort: Sendable {
    let port: Int
    private let descriptor: CInt

    init() throws {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        self.descriptor = descriptor
        var (isShared, length) = (CInt(1), socklen_t(MemoryLayout<CInt>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isShared, length)
        // The socket is bound but does not listen, because a listening socket would block all others.
        let isBound = try SocketAddress(ipAddress: "127.0.0.1", port: 0).withSockAddr { address, length in
            bind(descriptor, address, socklen_t(length)) == 0
        }
        // The first two bytes are the family, the next two the port in network byte order.
        var address = [UInt8](repeating: 0, count: 128)
        length = socklen_t(address.count)
        let isNamed = address.withUnsafeMutableBytes { bytes in
            getsockname(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &length) == 0
        }
        port = Int(address[2]) << 8 | Int(address[3])
        guard isBound, isNamed else {
            throw TestFailure("no port is free: \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }
}
