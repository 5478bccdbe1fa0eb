internal import CallCore
internal import Crypto
internal import FoundationEssentials
internal import SwiftASN1
internal import X509

/// The self-signed certificate that this process shows in DTLS (RFC 8827 §6.5).
///
/// ECDSA on P-256, which every WebRTC peer must accept; GStreamer 1.22 would make an RSA key, which
/// takes up to half a second and which peers that insist on ECDSA refuse.
struct DTLSCertificate: Sendable {
    private static let validity: TimeInterval = 30 * 86_400

    /// Certificate and private key.
    let pem: String
    /// SHA-256 of the certificate, as `a=fingerprint` writes it (RFC 8122).
    let fingerprint: String

    /// A new key and certificate, valid for thirty days.
    ///
    /// - Throws: what swift-certificates throws.
    init() throws {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("callrunner") }
        let now = Date.now
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: now - 86_400,
            notValidAfter: now + Self.validity,
            issuer: name,
            subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions(),
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
        let document = try certificate.serializeAsPEM()
        pem = document.pemString + "\n" + key.pemRepresentation + "\n"
        fingerprint = Fingerprint.digits(of: SHA256.hash(data: document.derBytes))
    }

    /// The description with this certificate's fingerprint.
    ///
    /// webrtcbin 1.22 digests every line of the PEM text, and so the private key along with the certificate.
    func correctingFingerprint(in description: String) -> String {
        let prefix = "a=fingerprint:sha-256 "
        return SessionDescriptionText.editing(description) { line in
            line.hasPrefix(prefix) ? prefix + fingerprint : String(line)
        }
    }
}
