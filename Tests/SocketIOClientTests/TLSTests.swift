import CGLib
import Foundation
import GLibKit
import SocketIO
import SocketIOClient
import Testing

@Suite("TLS", .timeLimit(.minutes(4)))
struct TLSTests {
    /// Runs `body` with a server whose certificate is not signed by an authority of the system.
    private func serving(_ body: (ScriptedServer) async throws -> Void) async throws {
        try await body(ScriptedServer(certificate: Self.certificate()))
    }

    private static func certificate() throws -> ObjectRef {
        let certificate = try withGError { g_tls_certificate_new_from_pem(pem, -1, $0) }
        return ObjectRef(taking: UnsafeMutableRawPointer(try #require(certificate)))
    }

    private func configuration(_ server: ScriptedServer, trust: TLSTrust) throws -> SocketConfiguration {
        var configuration = try SocketConfiguration(url: "https://127.0.0.1:\(server.port)")
        configuration.trust = trust
        return configuration
    }

    /// Calls `body` with the path of a PEM file that contains the server's certificate.
    private func withAuthorities(_ body: (String) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).pem").path()
        try Self.pem.write(toFile: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: file) }
        try await body(file)
    }

    @Test("A certificate from an unknown authority is rejected, and the failure states the reason")
    func unknownAuthority() async throws {
        try await serving { server in
            try await SocketIOClient(configuration(server, trust: .system)).withSocket { socket in
                _ = await socket.events.next()
                let failure = await socket.events.next()?.failure
                #expect(
                    failure == .untrusted("the server's certificate is not signed by a trusted authority")
                )
            }
        }
    }

    @Test("A certificate from an authority in the given file is accepted")
    func givenAuthority() async throws {
        try await withAuthorities { file in
            try await serving { server in
                try await expectConnection(to: server, trust: .authorities(file: file))
            }
        }
    }

    @Test("The trust setting “anybody” accepts any certificate")
    func anybody() async throws {
        try await serving { try await expectConnection(to: $0, trust: .anybody) }
    }

    private func expectConnection(to server: ScriptedServer, trust: TLSTrust) async throws {
        try await SocketIOClient(configuration(server, trust: trust)).withSocket { socket in
            _ = try await server.welcome()
            #expect(await socket.next() == "connecting 1")
            #expect(await socket.next() == "connected s1 websocket")
        }
    }

    @Test(
        "The failure names a file from which no CA certificates can be read",
        arguments: ["/nowhere/ca.pem", "/etc/hostname"]
    )
    func unreadableAuthorities(_ file: String) async throws {
        try await serving { server in
            let configuration = try configuration(server, trust: .authorities(file: file))
            await SocketIOClient(configuration).withSocket { socket in
                _ = await socket.events.next()
                let failure = await socket.events.next()?.failure
                guard case .untrusted(let detail) = failure, detail.contains(file) else {
                    Issue.record("\(String(describing: failure))")
                    return
                }
            }
        }
    }

    @Test("A server that does not answer with TLS is reported as a TLS failure")
    func plainServer() async throws {
        let server = try await RawServer()
        let configuration = try SocketConfiguration(url: "https://127.0.0.1:\(server.port)")
        await withThrowingTaskGroup { group in
            group.addTask { try await server.answer(with: "HTTP/1.1 400 Bad Request\r\n\r\n") }
            defer { group.cancelAll() }
            await SocketIOClient(configuration).withSocket { socket in
                _ = await socket.events.next()
                guard case .untrusted = await socket.events.next()?.failure else {
                    Issue.record("not a failure of TLS")
                    return
                }
            }
        }
    }

    /// A self-signed certificate for 127.0.0.1 and localhost with its key, used only by these tests.
    private static let pem = """
        -----BEGIN CERTIFICATE-----
        MIIBpzCCAU2gAwIBAgIUe5kh0oXt0u2MNqjSwVzwy2TLpuowCgYIKoZIzj0EAwIw
        GjEYMBYGA1UEAwwPY2FsbHJ1bm5lciB0ZXN0MCAXDTI2MTEyMTEwMTMwOVoYDzIx
        MjYxMDI4MTAxMzA5WjAaMRgwFgYDVQQDDA9jYWxscnVubmVyIHRlc3QwWTATBgcq
        hkjOPQIBBggqhkjOPQMBBwNCAAT0UR/SQExfs/S8y28p5AhrL3WHHg+moR6LZO0a
        6H0m4k3vmhswvIgmREFZ1+QgNfTgFTcP8YKb/c8E/wGOA6IAo28wbTAdBgNVHQ4E
        FgQU2L1tSwn5TiacUf+1WH4YeXGhY7YwHwYDVR0jBBgwFoAU2L1tSwn5TiacUf+1
        WH4YeXGhY7YwDwYDVR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SH
        BH8AAAEwCgYIKoZIzj0EAwIDSAAwRQIgNpnfu6n8Y4THz7NlRgiF6x5Ga+M6MUEf
        aVl+a7ZoAiECIQDJno7RYUYMahJhR3uKBhtpz/zSz5P+l2+uI1dhfPdeFQ==
        -----END CERTIFICATE-----
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgiGwePuREtTlMb/j+
        ozVTu9KuxuVcQgrW0ku4Pemf/C6hRANCAAT0UR/SQExfs/S8y28p5AhrL3WHHg+m
        oR6LZO0a6H0m4k3vmhswvIgmREFZ1+QgNfTgFTcP8YKb/c8E/wGOA6IA
        -----END PRIVATE KEY-----
        """
}
