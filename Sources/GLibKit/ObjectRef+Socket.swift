internal import CGLib
internal import Glibc

extension ObjectRef {
    /// Asks the kernel for room for what this `GSocket` receives; it gives at most `net.core.rmem_max` (socket(7)).
    package func setReceiveBuffer(bytes: Int) {
        g_socket_set_option(cast(to: GSocket.self), SOL_SOCKET, SO_RCVBUF, gint(clamping: bytes), nil)
    }
}
