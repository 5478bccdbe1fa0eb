internal import CGLib
internal import Glibc

/// A listening Unix socket that only its owner may use.
///
/// The socket file is removed when the listener is closed or released.
@LoopActor
package final class UnixListener {
    package let path: String
    private let listener: ObjectRef
    /// The identity of the socket file, so that `close()` never removes another file.
    private let file: (device: dev_t, inode: ino_t)

    /// Starts to listen at `path`; connections queue until they are accepted.
    ///
    /// A stale socket of the same user, on which no process listens, is replaced.
    ///
    /// - Throws: `GLibError` if anything else is at the path, or no socket can be created there.
    package init(_ path: String) throws(GLibError) {
        let descriptor = try Self.listen(at: path)
        var status = stat()
        guard lstat(path, &status) == 0 else { throw Self.failure(errno, closing: descriptor) }
        file = (status.st_dev, status.st_ino)
        let socket = try withGError {
            g_socket_new_from_fd(descriptor, $0).map { ObjectRef(taking: UnsafeMutableRawPointer($0)) }
        }
        let listener = ObjectRef(taking: g_socket_listener_new())
        (self.path, self.listener) = (path, listener)
        guard let socket else { throw GLibError(domain: "", code: 0, message: "no socket") }
        _ = try withGError {
            g_socket_listener_add_socket(
                listener.cast(to: GSocketListener.self),
                socket.cast(to: GSocket.self),
                nil,
                $0
            )
        }
    }

    isolated deinit { close() }

    /// Stops listening and removes the socket file.
    package func close() {
        g_socket_listener_close(listener.cast(to: GSocketListener.self))
        var status = stat()
        guard lstat(path, &status) == 0, (status.st_dev, status.st_ino) == file else { return }
        unlink(path)
    }

    /// Waits for the next connection.
    ///
    /// - Throws: `GLibError`, or `CancellationError`.
    package func accept() async throws -> NetworkStream {
        NetworkStream(taking: try await listener.accept())
    }

    // MARK: The socket itself

    private static func listen(at path: String) throws(GLibError) -> Int32 {
        var (address, length) = try address(of: path)
        try removeStale(path, &address, length)
        let descriptor = try newSocket()
        // bind(2) copies the mode of the socket to the file. The mode is set before, so that other users can
        // never connect.
        guard fchmod(descriptor, 0o600) == 0,
            withUnsafePointer(to: &address, { bind(descriptor, raw($0), length) }) == 0,
            Glibc.listen(descriptor, SOMAXCONN) == 0
        else { throw failure(errno, closing: descriptor) }
        return descriptor
    }

    private static func newSocket() throws(GLibError) -> Int32 {
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = socket(AF_UNIX, Int32(type), 0)
        guard descriptor >= 0 else { throw failure(errno) }
        return descriptor
    }

    private static func address(of path: String) throws(GLibError) -> (sockaddr_un, socklen_t) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard !bytes.isEmpty, !bytes.contains(0) else {
            throw GLibError(domain: "", code: 0, message: "the path is empty or contains a NUL character")
        }
        guard bytes.count < room else {
            throw GLibError(domain: "", code: 0, message: "the path has more than \(room - 1) bytes")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return (address, socklen_t(MemoryLayout<sockaddr_un>.size))
    }

    /// Removes a stale socket of the same user.
    ///
    /// - Throws: `GLibError` if anything else is at the path.
    private static func removeStale(
        _ path: String,
        _ address: inout sockaddr_un,
        _ length: socklen_t
    ) throws(GLibError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid() else {
            throw GLibError(domain: "", code: 0, message: "another file is there already")
        }
        let probe = try newSocket()
        defer { Glibc.close(probe) }
        let answer = withUnsafePointer(to: &address) { connect(probe, raw($0), length) == 0 ? 0 : errno }
        guard answer == ECONNREFUSED else {
            throw GLibError(domain: "", code: 0, message: "another process listens there")
        }
        guard unlink(path) == 0 || errno == ENOENT else { throw failure(errno) }
    }

    private static func raw(_ address: UnsafePointer<sockaddr_un>) -> UnsafePointer<sockaddr> {
        UnsafeRawPointer(address).assumingMemoryBound(to: sockaddr.self)
    }

    private static func failure(_ code: Int32, closing descriptor: Int32? = nil) -> GLibError {
        if let descriptor { Glibc.close(descriptor) }
        return GLibError(domain: "errno", code: Int(code), message: String(cString: strerror(code)))
    }
}
