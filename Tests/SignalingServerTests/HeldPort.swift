import Glibc

/// A port of 127.0.0.1 that nobody is given by chance, neither as a server nor as the source of a connection, while
/// this lives; whoever asks for it by its number, with `SO_REUSEADDR`, may listen there.
final class HeldPort: Sendable {
    let port: Int
    private let descriptor: CInt

    init() throws {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        self.descriptor = descriptor
        var (isShared, length) = (CInt(1), socklen_t(MemoryLayout<sockaddr_in>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isShared, socklen_t(MemoryLayout<CInt>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        // Held by not listening: who listens there keeps all others away.
        let isBound = withUnsafeMutableBytes(of: &address) { bytes in
            let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
            return bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        guard isBound else { throw TestFailure("no port is free: \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }
}
