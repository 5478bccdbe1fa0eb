import GLibKit
import Testing

@Suite("Network streams", .timeLimit(.minutes(4)))
@LoopActor struct NetworkStreamTests {
    /// Opens both ends of a connection over loopback.
    private static func pair() async throws -> (NetworkStream, NetworkStream) {
        let listener = try LoopbackListener(.ipv4)
        async let near = NetworkStream.connect(to: "127.0.0.1", port: listener.port, over: .tcp)
        let far = try await listener.accept()
        return (try await near, far)
    }

    @Test("Joined streams forward bytes in both directions and close together")
    func joined() async throws {
        let (left, middleLeft) = try await Self.pair()
        let (right, middleRight) = try await Self.pair()
        async let joined: Void = middleLeft.join(middleRight)
        try await left.write([1, 2, 3])
        #expect(try await right.read() == [1, 2, 3])
        try await right.write([4])
        #expect(try await left.read() == [4])
        left.close()
        #expect(try await right.read() == [])
        await joined
    }

    @Test(
        "A loopback port accepts connections from this process only",
        arguments: [LoopbackListener.Family.ipv4, .ipv6]
    )
    func stranger(family: LoopbackListener.Family) async throws {
        let listener = try LoopbackListener(family)
        let host = family == .ipv4 ? "127.0.0.1" : "::1"
        async let accepted = listener.accept()
        // The other process receives no data, only the end of the stream.
        try await run(
            "bash",
            "-c",
            "exec 3<>/dev/tcp/\(host)/\(listener.port); ! read -t 30 -u 3 line || exit 1; (( $? < 128 ))"
        )
        let ours = try await NetworkStream.connect(to: host, port: listener.port, over: .tcp)
        try await ours.write([7])
        #expect(try await accepted.read() == [7])
    }

    @Test("A loopback port refuses another process that reuses the port numbers of this process's sockets")
    func impostor() async throws {
        let listener = try LoopbackListener(.ipv4)
        let other = try LoopbackListener(.ipv4)
        async let accepted = listener.accept()
        let script = """
            import socket, sys
            stranger = socket.socket()
            stranger.settimeout(30)
            stranger.bind(("127.0.0.2", int(sys.argv[2])))
            stranger.connect(("127.0.0.1", int(sys.argv[1])))
            try: sys.exit(0 if stranger.recv(1) == b"" else 1)
            except ConnectionResetError: pass
            """
        for port in [listener.port, other.port] {
            try await run("python3", "-c", script, "\(listener.port)", "\(port)")
        }
        let ours = try await NetworkStream.connect(to: "127.0.0.1", port: listener.port, over: .tcp)
        try await ours.write([7])
        #expect(try await accepted.read() == [7])
    }

    @Test("A TLS connection to a server without TLS fails")
    func noTLS() async throws {
        guard TLSAuthorities.areAvailable else { return }
        let listener = try LoopbackListener(.ipv4)
        async let refused = #expect(throws: GLibError.self) {
            try await NetworkStream.connect(to: "127.0.0.1", port: listener.port, over: .tls(.anybody))
        }
        let stranger = try await listener.accept()
        _ = try await stranger.read()
        try await stranger.write(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        stranger.close()
        _ = await refused
    }

    @Test("Cancelling ends a read that gets no data")
    func cancelled() async throws {
        let (left, right) = try await Self.pair()
        let reading = Task { try await left.read() }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        right.close()
    }

    @Test("The MD5 and HMAC-SHA-1 digests match RFC 1321 and RFC 2202")
    func digests() {
        let hex = { (bytes: [UInt8]) in bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
        #expect(hex(Digest.md5(Array("abc".utf8))) == "900150983cd24fb0d6963f7d28e17f72")
        let code = Digest.hmacSHA1(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(hex(code) == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
    }
}
