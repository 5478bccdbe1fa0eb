internal import Crypto
internal import FoundationEssentials
internal import NIOCore
internal import NIOSSL
internal import SwiftASN1
internal import X509

/// A certificate with its chain and its private key, ready for use by a server.
struct TLSPair: Sendable {
    let context: NIOSSLContext
    /// The SHA-256 fingerprint of the certificate, in hexadecimal with colons.
    let fingerprint: String
    /// The end of the certificate's validity.
    let expiry: Date

    /// Reads PEM files: the certificate with its chain, and its key.
    ///
    /// - Throws: `TLSProblem` naming the file.
    init(certificatePath: String, keyPath: String) throws {
        let chain = try Self.read(certificatePath, "certificate") { try NIOSSLCertificate.fromPEMBytes($0) }
        let key = try Self.read(keyPath, "private key") { try NIOSSLPrivateKey(bytes: $0, format: .pem) }
        guard let leaf = chain.first else { throw TLSProblem("\(certificatePath) contains no certificate") }
        do {
            let certificate = try Certificate(derEncoded: leaf.toDERBytes())
            fingerprint = try Self.fingerprint(of: certificate)
            expiry = certificate.notValidAfter
        } catch {
            throw TLSProblem("\(certificatePath) contains a certificate that cannot be parsed: \(error)")
        }
        do {
            context = try Self.context(chain, key)
        } catch {
            throw TLSProblem("the key in \(keyPath) does not belong to the certificate in \(certificatePath)")
        }
    }

    init(_ own: SelfSignedCertificate) throws {
        fingerprint = try Self.fingerprint(of: own.certificate)
        expiry = own.certificate.notValidAfter
        let certificate = try NIOSSLCertificate(
            bytes: Array(own.certificate.serializeAsPEM().derBytes),
            format: .der
        )
        let key = try NIOSSLPrivateKey(bytes: Array(own.key.derRepresentation), format: .der)
        context = try Self.context([certificate], key)
    }

    private static func context(
        _ chain: [NIOSSLCertificate],
        _ key: NIOSSLPrivateKey
    ) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        // For TLS 1.2, only cipher suites with forward secrecy and AEAD (RFC 9325 §4.2); all suites of TLS
        // 1.3 have both.
        configuration.cipherSuiteValues = [
            .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]
        configuration.applicationProtocols = ["http/1.1"]
        // The server must stop in time, so it does not wait long for clients that omit close_notify.
        configuration.shutdownTimeout = .milliseconds(500)
        return try NIOSSLContext(configuration: configuration)
    }

    private static func fingerprint(of certificate: Certificate) throws -> String {
        SHA256.hash(data: try certificate.serializeAsPEM().derBytes)
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }

    private static func read<Value>(
        _ path: String,
        _ what: String,
        _ parse: ([UInt8]) throws -> Value
    ) throws -> Value {
        guard let contents = FileManager.default.contents(atPath: path) else {
            throw TLSProblem("the \(what) \(path) cannot be read")
        }
        do { return try parse(Array(contents)) } catch {
            throw TLSProblem("\(path) contains no \(what) in PEM format")
        }
    }
}
