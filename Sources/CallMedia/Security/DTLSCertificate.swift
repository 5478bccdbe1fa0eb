internal import CallCore
internal import Crypto
internal import FoundationEssentials
internal import SwiftASN1
internal import X509

/// The self-signed DTLS certificate of a media service (RFC 8827 §6.5).
///
/// It uses ECDSA on P-256, which every WebRTC peer must accept. GStreamer 1.22 would create an RSA key, which
/// takes up to half a second and is rejected by peers that require ECDSA.
struct DTLSCertificate: Sendable {
    private static let validity: TimeInterval = 30 * 86_400

    /// The certificate and the private key in PEM.
    let pem: String
    /// The SHA-256 fingerprint of the certificate, in the form of `a=fingerprint` (RFC 8122).
    let fingerprint: String

    /// Creates a new key and a certificate that is valid for 30 days.
    ///
    /// - Throws: an error of swift-certificates.
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

    /// Replaces the fingerprint in a session description with the fingerprint of this certificate.
    ///
    /// The fingerprint from webrtcbin 1.22 is wrong: it is computed from all lines of the PEM text, including
    /// the private key.
    ///
    /// - Parameter description: our session description.
    /// - Returns: the description with the correct fingerprint.
    func correctingFingerprint(in description: String) -> String {
        let prefix = "a=fingerprint:sha-256 "
        return SessionDescriptionText.editing(description) { line in
            line.hasPrefix(prefix) ? prefix + fingerprint : String(line)
        }
    }
}
