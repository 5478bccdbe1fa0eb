import Crypto
import Foundation
import Logging
import NIOSSL
import SwiftASN1
import Testing
import X509

@testable import HTTPFront
@testable import SignalingServer

@Suite("TLS", .timeLimit(.minutes(4)))
struct TLSTests {
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// A certificate file and a key file in a temporary folder.
    private struct Files {
        let folder: URL
        var certificate: String { folder.appending(path: "cert.pem").path }
        var key: String { folder.appending(path: "key.pem").path }
        var source: TLSCredentials.Source { .files(certificate: certificate, key: key) }

        /// Generates a certificate with its key, and writes the certificate, the key, or both.
        func renew(certificate: Bool = true, key: Bool = true) throws {
            let own = try SelfSignedCertificate(host: "localhost")
            if certificate { try write(own.certificate.serializeAsPEM().pemString, self.certificate) }
            if key { try write(own.key.pemRepresentation, self.key) }
        }

        func write(_ text: String, _ path: String) throws {
            try Data(text.utf8).write(to: URL(filePath: path))
        }
    }

    private func withFiles(_ body: (Files) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = Files(folder: folder)
        try files.renew()
        try await body(files)
    }

    @Test("A self-signed certificate contains the local names and has the reported fingerprint")
    func selfSigned() async throws {
        let credentials = try await TLSCredentials(.selfSigned(host: "call.example"))
        try await withServer({ $0.tls = credentials }) { server in
            #expect(server.url == "https://127.0.0.1:\(server.port)")
            let answer = try await TLSClient.get(server)
            #expect(answer.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.fingerprint == credentials.fingerprint)
            let certificate = try Certificate(derEncoded: #require(answer.certificate).toDERBytes())
            let names = try #require(try certificate.extensions.subjectAlternativeNames)
            let loopback4 = GeneralName.ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1]))
            let loopback6 = GeneralName.ipAddress(
                ASN1OctetString(contentBytes: [UInt8](repeating: 0, count: 15) + [1])
            )
            for name in [.dnsName("localhost"), .dnsName("call.example"), loopback4, loopback6] {
                #expect(names.contains(name))
            }
            #expect(certificate.signatureAlgorithm == .ecdsaWithSHA256)
            let days = certificate.notValidAfter.timeIntervalSince(certificate.notValidBefore) / 86_400
            #expect(abs(days - 397) < 0.1)
        }
    }

    @Test("A reloaded certificate applies to new connections")
    func reload() async throws {
        try await withFiles { files in
            let credentials = try await TLSCredentials(files.source)
            let first = credentials.fingerprint
            try await withServer({ $0.tls = credentials }) { server in
                #expect(try await TLSClient.get(server).fingerprint == first)
                try files.renew()
                #expect(try await TLSClient.get(server).fingerprint == first)
                #expect(await credentials.reload(logger))
                #expect(credentials.fingerprint != first)
                #expect(try await TLSClient.get(server).fingerprint == credentials.fingerprint)
            }
        }
    }

    @Test("A reload refuses invalid or mismatching files, and the old pair stays in use", arguments: 0..<5)
    func brokenReload(way: Int) async throws {
        try await withFiles { files in
            let credentials = try await TLSCredentials(files.source)
            let first = credentials.fingerprint
            switch way {
            case 0: try files.renew(key: false)
            case 1: try files.renew(certificate: false)
            case 2: try files.write("no PEM", files.certificate)
            case 3:
                try files.write("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", files.key)
            default: try FileManager.default.removeItem(atPath: files.key)
            }
            #expect(await !credentials.reload(logger))
            #expect(credentials.fingerprint == first)
            try await withServer({ $0.tls = credentials }) { server in
                let answer = try await TLSClient.get(server)
                #expect(answer.fingerprint == first)
            }
            await #expect(throws: TLSProblem.self) { try await TLSCredentials(files.source) }
        }
    }

    @Test("TLS versions before 1.2 are refused, and the next client is served")
    func oldVersions() async throws {
        let credentials = try await TLSCredentials(.selfSigned(host: "localhost"))
        try await withServer({ $0.tls = credentials }) { server in
            await #expect(throws: (any Error).self) {
                _ = try await TLSClient.get(server, maximumVersion: .tlsv11)
            }
            let answer = try await TLSClient.get(server, maximumVersion: .tlsv12)
            #expect(answer.text.contains("200 OK"))
        }
    }

    @Test("A plain HTTP request is refused with a hint to use https")
    func plainRequest() async throws {
        let credentials = try await TLSCredentials(.selfSigned(host: "localhost"))
        try await withServer({ $0.tls = credentials }) { server in
            try await TestConnection.with(port: server.port) { connection in
                try await connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                let answer = try await connection.readToEnd()
                #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
                #expect(answer.hasSuffix("this port speaks HTTPS; use https:// instead of http://\n"))
            }
        }
    }

    @Test(
        "An unfinished handshake ends after the request timeout",
        arguments: ["", "\u{16}\u{3}\u{1}"]
    )
    func unfinishedHandshake(start: String) async throws {
        let credentials = try await TLSCredentials(.selfSigned(host: "localhost"))
        let configure = { (configuration: inout ServerConfiguration) in
            configuration.tls = credentials
            configuration.requestTimeout = .milliseconds(100)
        }
        try await withServer(configure) { server in
            try await TestConnection.with(port: server.port) { connection in
                if !start.isEmpty { try? await connection.send(start) }
                _ = try? await connection.readToEnd()
            }
        }
    }
}
