internal import Crypto
internal import FoundationEssentials
internal import Glibc
internal import NIOCore
internal import SwiftASN1
internal import X509

/// A self-signed certificate for this computer's own names, with its private key; both are stored in memory
/// only.
struct SelfSignedCertificate {
    /// The validity period in seconds; the CA/Browser Forum recommends at most 397 days (Baseline
    /// Requirements 6.3.2).
    private static let validity: TimeInterval = 397 * 86_400

    let certificate: Certificate
    let key: P256.Signing.PrivateKey

    /// Creates a certificate for `localhost`, this computer's name and addresses, and `host`.
    ///
    /// - Throws: Any error of swift-certificates.
    init(host: String) throws {
        key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("callrunner self-signed") }
        // The validity begins a day ago, because the clock of a client may be slow.
        let start = Date.now - 86_400
        certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: start,
            notValidAfter: start + Self.validity,
            issuer: name,
            subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(Self.names(with: host))
            },
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
    }

    private static func names(with host: String) -> [GeneralName] {
        var names: [GeneralName] = [.dnsName("localhost")]
        for name in [Self.addressBytes(host) == nil ? host : "", Self.hostName]
        where Self.isDomainName(name) && !names.contains(.dnsName(name)) {
            names.append(.dnsName(name))
        }
        let interfaces = ((try? System.enumerateDevices()) ?? []).compactMap { $0.address?.ipAddress }
        for address in ["127.0.0.1", "::1", host] + interfaces {
            // A server can listen on the unspecified address, but clients cannot connect to it.
            guard let bytes = addressBytes(address), bytes.contains(where: { $0 != 0 }) else { continue }
            let name = GeneralName.ipAddress(ASN1OctetString(contentBytes: bytes[...]))
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// Parses an address into 4 bytes for IPv4 or 16 for IPv6; nil for other texts and for scoped addresses.
    private static func addressBytes(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
        return inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
    }

    private static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Determines whether a text may be a DNS name in a certificate (RFC 5280 §4.2.1.6).
    private static func isDomainName(_ name: String) -> Bool {
        (1...253).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}
