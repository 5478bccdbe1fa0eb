internal import Glibc

/// A Socket.IO client over WebSocket that joins the room in the query of its URL and answers pings.
final class Connection {
    enum Phase { case upgrading, opening, joining, joined, leaving, closed }

    let descriptor: Int32
    var index = 0
    private(set) var phase = Phase.upgrading
    /// Called once, when the client has joined the room.
    var didJoin: ((Connection) -> Void)?
    /// Called once, when the server has closed the connection.
    var didClose: ((Connection) -> Void)?
    /// Called for each received candidate; it may send frames with `queue(_:)`.
    var didReceiveCandidate: (() -> Void)?

    private let poller: Poller
    /// The beginning of an incompletely received frame.
    private var rest: [UInt8] = []
    private var output: [UInt8] = []

    /// Connects and requests the upgrade to WebSocket; `read()` performs the remaining steps.
    init(to port: UInt16, room: Int, isCaller: Bool, _ poller: Poller) {
        self.poller = poller
        descriptor = Self.connect(to: port)
        poller.add(self)
        let name = isCaller ? "Ann" : "Bob"
        let target =
            "/socket.io/?EIO=4&transport=websocket&roomId=\(room)&username=\(name)&isCaller=\(isCaller)"
        let lines = [
            "GET \(target) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Upgrade: websocket",
            "Connection: Upgrade", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", "",
        ]
        output.append(contentsOf: lines.joined(separator: "\r\n").utf8)
        flush()
    }

    private static func connect(to port: UInt16) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { fail("no socket: \(errno), see `ulimit -n`") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafeBytes(of: &address) { bytes in
            // The kernel determines the address family from the structure.
            Glibc.connect(
                descriptor,
                bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                socklen_t(bytes.count)
            )
        }
        guard result == 0 else { fail("cannot connect: \(errno)") }
        var isOn: Int32 = 1
        let length = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, length)
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { fail("fcntl: \(errno)") }
        return descriptor
    }

    func queue(_ frame: MaskedFrame) { output.append(contentsOf: frame.bytes) }

    /// Sends all queued frames with one system call.
    func flush() {
        guard !output.isEmpty else { return }
        let sent = output.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        // The few frames in transit always fit into the socket's buffer.
        guard sent == output.count || phase == .leaving else { fail("the server takes no more: \(errno)") }
        output.removeAll(keepingCapacity: true)
    }

    /// Sends a disconnect packet and a close frame; the server then closes the connection.
    func leave() {
        phase = .leaving
        queue(.disconnect)
        queue(.close)
        flush()
    }

    /// Reads the received bytes and answers the complete frames among them.
    func read() {
        let kept = rest.count
        let input = poller.input
        if kept > 0 { rest.withUnsafeBytes { input.copyMemory(from: $0) } }
        let count = recv(descriptor, input.baseAddress.map { $0 + kept }, input.count - kept, 0)
        guard count > 0 else {
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            return close()
        }
        let bytes = UnsafeRawBufferPointer(rebasing: input[..<(kept + count)])
        let taken = take(bytes)
        if taken < bytes.count {
            rest = Array(bytes[taken...])
        } else if kept > 0 {
            rest = []
        }
        if phase != .closed { flush() }
    }

    private func close() {
        guard phase != .closed else { return }
        phase = .closed
        poller.remove(self)
        // Otherwise the local port would be unavailable for a minute (TIME_WAIT).
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        Glibc.close(descriptor)
        didClose?(self)
    }

    /// Handles the response to the upgrade request and all complete frames; returns their length in bytes.
    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        var position = 0
        if phase == .upgrading {
            guard let end = Self.endOfHead(bytes) else { return 0 }
            guard bytes.starts(with: "HTTP/1.1 101 ".utf8) else {
                fail("no WebSocket: \(String(decoding: bytes.prefix(300), as: UTF8.self))")
            }
            phase = .opening
            position = end
        }
        while let frame = ServerFrame(bytes, at: position) {
            receive(frame.opcode, UnsafeRawBufferPointer(rebasing: bytes[frame.payload]))
            position = frame.payload.upperBound
        }
        return position
    }

    private static func endOfHead(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (4...bytes.count).first { bytes[($0 - 4)..<$0].elementsEqual("\r\n\r\n".utf8) }
    }

    private func receive(_ opcode: UInt8, _ payload: UnsafeRawBufferPointer) {
        guard opcode == 1, payload.count > 0, phase != .leaving else { return }
        switch (payload[0], payload.count > 1 ? payload[1] : 0) {
        case (UInt8(ascii: "0"), _) where phase == .opening:
            phase = .joining
            queue(.connect)
        case (UInt8(ascii: "2"), _): queue(.pong)
        case (UInt8(ascii: "4"), UInt8(ascii: "0")) where phase == .joining:
            phase = .joined
            didJoin?(self)
        case (UInt8(ascii: "4"), UInt8(ascii: "2"))
        where payload.count > 13 && payload[4] == UInt8(ascii: "c"):
            didReceiveCandidate?()
        case (UInt8(ascii: "4"), UInt8(ascii: "4")):
            fail("refused: \(String(decoding: payload, as: UTF8.self))")
        default: break
        }
    }
}
