import Basics
import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

@testable import HTTPFront
@testable import SignalingServer

@Suite("Keys in unsupported formats", .timeLimit(.minutes(4)))
struct ForeignKeyTests {
    /// The base64 lines of the public key's PEM, without the BEGIN and END lines.
    private static let body = SampleKeys.publicKey.split(separator: "\n").dropFirst().dropLast().joined(
        separator: "\n"
    )
    private static let jwk = """
        {"kty":"EC","crv":"P-256","x":"B0fFTaYKWNeq5t4f_zBAaUyQJ5K4csdJORIRNYSRmLw",\
        "y":"PIsvyF_W0z035zdRM1CAnQWyVJzwJPrGGmvzXvbNLOM"}
        """
    private static let blob = """
        AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBAdHxU2mCljXqubeH/8wQGlMkCeSuHLHSTkSETWEkZi8PIsvyF/W0z0\
        35zdRM1CAnQWyVJzwJPrGGmvzXvbNLOM=
        """
    private static let der: [UInt8] = Base64.decode(body.filter { $0 != "\n" }) ?? []
    private static let point = Array(der.suffix(65))
    private static let compressed = [0x03] + der.suffix(64).prefix(32)

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String(format: "%02x", $0) }.joined()
    }

    private static let texts: [(String, ForeignKey)] = [
        (jwk, .json), ("\n  \(jwk)\n", .json), ("\u{FEFF}\(jwk)", .json), (#"{"keys":[\#(jwk)]}"#, .json),
        ("[\(jwk)]", .json),
        (#"{"kty":"oct","k":"MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY"}"#, .json), ("\"\(body)\"", .json),
        ("ecdsa-sha2-nistp256 \(blob) ann@here", .ssh), ("from=\"*\" ecdsa-sha2-nistp256 \(blob)", .ssh),
        (blob, .ssh),
        ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl", .ssh),
        ("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ", .ssh),
        ("sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5", .ssh),
        ("---- BEGIN SSH2 PUBLIC KEY ----\n\(blob)\n---- END SSH2 PUBLIC KEY ----", .ssh),
        ("Public-Key: (256 bit)\npub:\n    04:07:47:c5:4d:a6:0a:58:d7:aa:e6:de:1f:ff:30:40", .text),
        ("kty: EC\ncrv: P-256\nx: B0fFTaYKWNeq5t4f_zBAaUyQJ5K4csdJORIRNYSRmLw", .text),
        ("----BEGIN PUBLIC KEY----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0D", .der),
        ("PuTTY-User-Key-File-3: ecdsa", .ssh), (body, .der), (body + "\n", .der),
        (body.filter { $0 != "\n" }, .der),
        ("# the server's key\n\(body.filter { $0 != "\n" })", .der),
        ("key=\(body.filter { $0 != "\n" })", .der),
        (body.replacing("/", with: "_").replacing("+", with: "-").filter { $0 != "=" && $0 != "\n" }, .der),
        (hex(der), .der), (hex(der).uppercased() + "\r\n", .der), (Base64.encode(point), .point),
        (hex(point), .point),
        (Base64.encode(compressed), .point), (Base64.encode(Array(point.dropFirst())), .point),
        (point.map { String(format: "%02X", $0) }.joined(separator: ":"), .point),
    ]

    @Test("A key in an unsupported text format is not used as a secret", arguments: texts)
    func refused(text: String, form: ForeignKey) async throws {
        await #expect(throws: TokenKeyError.foreign(form)) { try await TokenKey(Array(text.utf8)) }
        // The same text in UTF-16, as some editors on Windows save it.
        let wide = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        await #expect(throws: TokenKeyError.foreign(form)) { try await TokenKey([0xFF, 0xFE] + wide) }
    }

    @Test("A key or certificate in binary form is not used as a secret")
    func bytes() async throws {
        let own = try SelfSignedCertificate(host: "localhost")
        let certificate = Array(try own.certificate.serializeAsPEM().derBytes)
        let files = [Self.der, Self.der + [10], certificate, Array(own.key.derRepresentation)]
        for file in files { await #expect(throws: TokenKeyError.foreign(.der)) { try await TokenKey(file) } }
        let text = Base64.encode(certificate)
        await #expect(throws: TokenKeyError.foreign(.der)) { try await TokenKey(Array(text.utf8)) }
        await #expect(throws: TokenKeyError.foreign(.point)) { try await TokenKey(Self.point) }
        let blob = try #require(Base64.decode(Self.blob))
        await #expect(throws: TokenKeyError.foreign(.ssh)) { try await TokenKey(blob) }
    }

    @Test("A key in an additional encoding, such as Base64 of PEM, is not used as a secret")
    func encoded() async throws {
        let pem = Array(SampleKeys.publicKey.utf8)
        let once = Array(Base64.encode(pem).utf8)
        let twice = Array(Base64.encode(once).utf8)
        let gzip: [UInt8] = [0x1F, 0x8B, 8, 0] + [UInt8](repeating: 7, count: 60)
        for file in [once, once + [10], twice, gzip] {
            await #expect(throws: TokenKeyError.foreign(.encoded)) { try await TokenKey(file) }
        }
        let trailing = Self.der + [UInt8](repeating: 0, count: 9)
        await #expect(throws: TokenKeyError.foreign(.der)) { try await TokenKey(trailing) }
        let array = Self.der.map { "0x" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(
            separator: ","
        )
        for text in [
            array, "Modulus=" + String(repeating: "AB", count: 128),
            "<RSAKeyValue>" + Base64.encode(Self.der),
        ] {
            await #expect(throws: TokenKeyError.self) { try await TokenKey(Array(text.utf8)) }
        }
        // Secrets as people make them.
        for secret in [
            Base64.encode([UInt8](repeating: 0x5A, count: 48)), String(repeating: "0f", count: 32),
        ] {
            #expect(try await TokenKey(Array(secret.utf8)).kind == .secret)
        }
    }

    @Test("PEM in UTF-16 is recognized and never used as a secret")
    func wide() async throws {
        let wide: [UInt8] = [0xFF, 0xFE] + SampleKeys.publicKey.utf8.flatMap { [$0, 0] as [UInt8] }
        #expect(try await TokenKey(wide).kind == .publicKey)
        let other =
            "-----BEGIN CERTIFICATE-----".utf8.flatMap { [0, $0] as [UInt8] }
            + [UInt8](repeating: 65, count: 40)
        await #expect(throws: TokenKeyError.notP256) { try await TokenKey(other) }
    }

    @Test("Words, Base64, hexadecimal digits and raw bytes are accepted as secrets")
    func secrets() async throws {
        for text in [
            SampleKeys.secret, "correct horse battery staple and more", String(repeating: "0", count: 64),
            "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", "12345678901234567890123456789012",
            "0" + String(repeating: "1", count: 50), String(repeating: "ab", count: 33),
            "<{[this is no JSON, but a secret]}>",
        ] {
            #expect(try await TokenKey(Array(text.utf8)).kind == .secret, "\(text)")
        }
        // The first element starts like a DER sequence, but is incomplete.
        for bytes: [UInt8] in [
            [0x30, 0x1F] + [UInt8](repeating: 1, count: 30), [UInt8](repeating: 0, count: 32),
        ] {
            #expect(try await TokenKey(bytes).kind == .secret)
        }
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<2000 {
            let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
            for text in [Base64.encode(bytes), Self.hex(bytes)] {
                #expect(ForeignKey(in: Array(text.utf8)) == nil)
            }
        }
    }
}
