internal import Crypto
internal import FoundationEssentials
internal import SwiftASN1
internal import X509

/// The self-signed certificate that this process shows in DTLS (RFC 8827 §6.5).
///
/// ECDSA on P-256, which every WebRTC peer must accept; GStreamer 1.22 would make an RSA key, which
/// takes up to half a second and which peers that insist on ECDSA refuse.
enum DTLSCertificate {
    private static let validity: TimeInterval = 30 * 86_400

    /// Certificate and private key in PEM; a new pair, valid for thirty days.
    ///
    /// - Throws: what swift-certificates throws.
    static func makePEM() throws -> String {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("callrunner") }
        let now = Date.now
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: now - 86_400,
            notValidAfter: now + validity,
            issuer: name,
            subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions(),
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
        return try certificate.serializeAsPEM().pemString + "\n" + key.pemRepresentation + "\n"
    }
}
