internal import Glibc

/// A notifier that reports the state of a service with `Type=notify` to systemd (sd_notify(3)).
struct ServiceManager {
    enum State: String {
        case ready = "READY=1"
        case stopping = "STOPPING=1"
    }

    /// The value of `NOTIFY_SOCKET`: a path, or `@` and an abstract name; nil if it is not set.
    private let socketName: String?
    private let console: Console

    init(_ environment: [String: String], _ console: Console) {
        socketName = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        self.console = console
    }

    /// Sends a state and a line for `systemctl status`; an error is only reported as a warning.
    func notify(_ state: State, status: String) {
        guard let socketName else { return }
        if let problem = Self.send("\(state.rawValue)\nSTATUS=\(status)", to: socketName) {
            console.say("warning: cannot notify systemd of “\(state.rawValue)”: \(problem)", .emphasis)
        }
    }

    /// Sends a datagram without waiting; returns a description of the error, or nil on success.
    private static func send(_ text: String, to name: String) -> String? {
        guard name.hasPrefix("/") || name.hasPrefix("@") else {
            return "NOTIFY_SOCKET is “\(name)”, which is neither an absolute path nor an abstract socket"
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        // A path ends with a NUL, and an abstract name begins with one.
        if name.hasPrefix("@") { bytes[0] = 0 } else { bytes.append(0) }
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count <= capacity else { return "the path of the socket is too long" }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = MemoryLayout<sockaddr_un>.size - capacity + bytes.count

        let type = CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return String(cString: strerror(errno)) }
        defer { close(descriptor) }
        let data = Array(text.utf8)
        let sent = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, data, data.count, CInt(MSG_NOSIGNAL), $0, socklen_t(length))
            }
        }
        return sent < 0 ? String(cString: strerror(errno)) : nil
    }
}
