internal import CGLib
internal import Glibc

extension ObjectRef {
    /// Requests a receive buffer for this `GSocket`; the kernel grants at most `net.core.rmem_max`
    /// (socket(7)).
    package func setReceiveBuffer(bytes: Int) {
        g_socket_set_option(cast(to: GSocket.self), SOL_SOCKET, SO_RCVBUF, gint(clamping: bytes), nil)
    }
}
