/// An offer of the peer and the values that distinguish it from other offers.
package struct SessionOffer: Hashable, Sendable {
    package let sdp: String
    package let description: SessionDescription
    /// The `ice-ufrag`; a new one means a new attempt.
    package let id: String
    /// The `sess-version` of the `o=` line; a higher one under the same `id` means a renegotiation.
    package let version: UInt64
    /// The `ice-ufrag` values that the peer's candidates may have.
    let ufrags: Set<String>

    /// Parses an offer.
    ///
    /// - Throws: `CallMediaFailure.badDescription` for text that cannot be an offer of a WebRTC peer.
    package init(parsing sdp: String) throws(CallMediaFailure) { try self.init(SignaledDescription(sdp)) }

    /// Checks an offer that has been parsed.
    ///
    /// - Throws: `CallMediaFailure.badDescription` for text that cannot be an offer of a WebRTC peer.
    package init(_ signaled: SignaledDescription) throws(CallMediaFailure) {
        do {
            description = try signaled.description()
            _ = try description.certificateFingerprints()
        } catch {
            throw .badDescription("the offer: \(error)")
        }
        guard let ufrag = description.iceUfrag else {
            throw .badDescription("the offer has no a=ice-ufrag line")
        }
        sdp = signaled.sdp
        id = ufrag
        version = description.originVersion
        ufrags = description.iceUfrags
    }
}
