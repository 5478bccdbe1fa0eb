internal import CGLib
internal import Glibc

/// The address and port of one end of a TCP connection.
struct SocketEndpoint: Hashable, Sendable {
    /// The bytes of the address in network order: 4 of IPv4, or 16 of IPv6.
    let address: [UInt8]
    let port: Int

    /// Converts the address of a socket; nil if it is not an Internet address.
    init?(_ address: ObjectRef) {
        let handle = address.cast(to: GInetSocketAddress.self)
        guard g_socket_address_get_family(address.cast(to: GSocketAddress.self)) != G_SOCKET_FAMILY_UNIX,
            let host = g_inet_socket_address_get_address(handle), let bytes = g_inet_address_to_bytes(host)
        else { return nil }
        let count = Int(g_inet_address_get_native_size(host))
        self.address = Array(UnsafeBufferPointer(start: bytes, count: count))
        port = Int(g_inet_socket_address_get_port(handle))
    }

    /// The address in network byte order, read as native 32-bit words, as the kernel prints and expects them.
    fileprivate var words: [UInt32] {
        stride(from: 0, to: address.count, by: 4).map { start in
            address[start..<start + 4].withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
        }
    }
}

/// A lookup of the owners of local TCP connections.
enum LoopbackSockets {
    /// Checks whether this process owns the socket at the other end of a connection to this host.
    static func isOurs(_ remote: SocketEndpoint, connectedTo local: SocketEndpoint) -> Bool {
        guard remote.address.count == local.address.count else { return false }
        let inode = SocketQuery(remote, connectedTo: local).inode ?? listedInode(remote, connectedTo: local)
        return inode.map { isOpen("socket:[\($0)]") } ?? false
    }

    /// Checks whether a descriptor of this process refers to a socket, given as `socket:[INODE]`.
    private static func isOpen(_ socket: String) -> Bool {
        guard let folder = opendir("/proc/self/fd") else { return false }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            // An entry is only as long as its name requires, often shorter than its C type, so it must not be
            // copied.
            guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return false }
            let start = UnsafeRawPointer(entry) + offset
            let name = String(cString: start.assumingMemoryBound(to: CChar.self))
            if target(of: "/proc/self/fd/\(name)") == socket { return true }
        }
        return false
    }

    private static func target(of link: String) -> String? {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(link, start, buffer.count)
            return count > 0
                ? String(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<count]), as: UTF8.self) : nil
        }
    }

    /// Finds the inode number of a connected socket in `/proc` (proc(5)).
    ///
    /// The kernel lists all sockets of the network namespace for this, so `SocketQuery` is tried first.
    private static func listedInode(
        _ remote: SocketEndpoint,
        connectedTo local: SocketEndpoint
    ) -> UInt32? {
        let table = remote.address.count == 4 ? "tcp" : "tcp6"
        guard let text = contents(of: "/proc/self/net/\(table)") else { return nil }
        let (own, other) = (Self.text(remote), Self.text(local))
        for line in text.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count > 9, fields[1] == own, fields[2] == other else { continue }
            return UInt32(fields[9]).flatMap { $0 == 0 ? nil : $0 }
        }
        return nil
    }

    /// Returns an end of a connection as `/proc` shows it, such as `0100007F:1F90`.
    private static func text(_ end: SocketEndpoint) -> String {
        func hexadecimal(_ number: UInt32, digits: Int) -> String {
            let text = String(number, radix: 16, uppercase: true)
            return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
        }
        let address = end.words.map { hexadecimal($0, digits: 8) }.joined()
        return "\(address):\(hexadecimal(UInt32(end.port), digits: 4))"
    }

    private static func contents(of path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
            bytes.append(contentsOf: chunk[..<count])
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A query to the kernel about one TCP socket (sock_diag(7)).
private struct SocketQuery {
    /// The value of both words of a cookie that is unknown.
    private static let anyCookie = UInt32.max
    /// The number of the state in which both ends are open (TCP_ESTABLISHED).
    private static let established: UInt8 = 1
    /// The size in bytes of the buffer for the answer, which is never larger.
    private static let answerLimit = 4096

    private struct Message {
        var header = nlmsghdr()
        var request = inet_diag_req_v2()
    }

    private var message = Message()

    init(_ remote: SocketEndpoint, connectedTo local: SocketEndpoint) {
        message.header.nlmsg_len = UInt32(MemoryLayout<Message>.size)
        message.header.nlmsg_type = UInt16(SOCK_DIAG_BY_FAMILY)
        message.header.nlmsg_flags = UInt16(NLM_F_REQUEST)
        message.request.sdiag_family = UInt8(remote.address.count == 4 ? AF_INET : AF_INET6)
        message.request.sdiag_protocol = UInt8(IPPROTO_TCP)
        message.request.idiag_states = .max
        message.request.id.idiag_sport = UInt16(truncatingIfNeeded: remote.port).bigEndian
        message.request.id.idiag_dport = UInt16(truncatingIfNeeded: local.port).bigEndian
        message.request.id.idiag_src = Self.words(remote)
        message.request.id.idiag_dst = Self.words(local)
        message.request.id.idiag_cookie = (Self.anyCookie, Self.anyCookie)
    }

    private static func words(_ end: SocketEndpoint) -> (UInt32, UInt32, UInt32, UInt32) {
        let words = end.words + [0, 0, 0]
        return (words[0], words[1], words[2], words[3])
    }

    /// The inode number of the connected socket; nil if there is none, or if the kernel does not support such queries.
    var inode: UInt32? {
        let type = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_NETLINK, type, NETLINK_SOCK_DIAG)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let isSent = withUnsafeBytes(of: message) { bytes in
            send(descriptor, bytes.baseAddress, bytes.count, 0) == bytes.count
        }
        guard isSent else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: Self.answerLimit, alignment: 8) { buffer in
            // The kernel has answered by the time `send` returns.
            let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            let size = MemoryLayout<nlmsghdr>.size
            guard count >= size + MemoryLayout<inet_diag_msg>.size,
                buffer.load(as: nlmsghdr.self).nlmsg_type == SOCK_DIAG_BY_FAMILY
            else { return nil }
            let found = buffer.load(fromByteOffset: size, as: inet_diag_msg.self)
            // If no connected socket matches, the kernel returns a listening one.
            let (asked, told) = (message.request.id, found.id)
            guard found.idiag_state == Self.established, told.idiag_sport == asked.idiag_sport,
                told.idiag_dport == asked.idiag_dport, told.idiag_src == asked.idiag_src,
                told.idiag_dst == asked.idiag_dst
            else { return nil }
            return found.idiag_inode == 0 ? nil : found.idiag_inode
        }
    }
}
