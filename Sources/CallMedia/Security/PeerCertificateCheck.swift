internal import Basics
internal import CallCore
internal import Crypto
internal import SwiftASN1
internal import Synchronization

/// A check that the peer's DTLS certificate matches a fingerprint in the peer's session description (RFC 8827
/// §6.5, RFC 8122 §6.2).
final class PeerCertificateCheck: Sendable {
    private struct State {
        var expected: CertificateFingerprints?
        /// The presented certificate in DER.
        var shown: [UInt8]?
        var isVerified = false
    }

    private let state = Mutex(State())
    private let fail: @Sendable (CallMediaFailure) -> Void

    init(fail: @escaping @Sendable (CallMediaFailure) -> Void) { self.fail = fail }

    var isVerified: Bool { state.withLock { $0.isVerified } }

    /// Sets the expected fingerprints from the peer's session description, before the description is applied.
    ///
    /// - Throws: `CallMediaFailure.badDescription` if the description has no fingerprint, or if the peer has
    ///   already presented a certificate that does not match.
    func expect(_ description: SessionDescription) throws(CallMediaFailure) {
        let expected: CertificateFingerprints
        do { expected = try description.certificateFingerprints() } catch {
            throw .badDescription("\(error)")
        }
        let objection = state.withLock { state -> String? in
            if let shown = state.shown, let objection = Self.objection(of: expected, to: shown) {
                return objection
            }
            state.expected = expected
            return nil
        }
        if let objection {
            throw .badDescription("it does not match the certificate in use: \(objection)")
        }
    }

    /// Returns whether the certificate presented in the handshake is the expected one; otherwise reports a
    /// failure.
    func accepts(pem: String) -> Bool {
        guard let shown = try? PEMDocument(pemString: pem).derBytes else {
            return object("its certificate cannot be read")
        }
        let objection = state.withLock { state -> String? in
            state.shown = shown
            guard let expected = state.expected else {
                return "its certificate arrived before its session description"
            }
            let objection = Self.objection(of: expected, to: shown)
            state.isVerified = objection == nil
            return objection
        }
        return objection.map(object) ?? true
    }

    /// Reports `CallMediaFailure.unverifiedPeer`, which ends the attempt.
    ///
    /// - Returns: false.
    @discardableResult
    func object(_ reason: String) -> Bool {
        fail(.unverifiedPeer(detail: reason))
        return false
    }

    private static func objection(of expected: CertificateFingerprints, to certificate: [UInt8]) -> String? {
        expected.objection { function in
            switch function {
            case .sha256: Array(SHA256.hash(data: certificate))
            case .sha384: Array(SHA384.hash(data: certificate))
            case .sha512: Array(SHA512.hash(data: certificate))
            }
        }
    }
}
