/// An offer of the peer with what tells it from every other.
package struct SessionOffer: Hashable, Sendable {
    package let sdp: String
    /// The `ice-ufrag`: a new one is a new attempt.
    package let id: String
    /// The `sess-version` of the `o=` line: a higher one under the same `id` renegotiates.
    package let version: UInt64
    /// The ufrags that the peer's candidates may bear.
    let ufrags: Set<String>

    /// - Throws: `MediaFailure.badDescription` for text that cannot be an offer of a WebRTC peer.
    package init(parsing sdp: String) throws(MediaFailure) {
        let description: SessionDescription
        do {
            description = try SessionDescription(parsing: sdp)
            _ = try description.certificateFingerprints()
        } catch {
            throw .badDescription("the offer: \(error)")
        }
        guard let ufrag = description.iceUfrag else {
            throw .badDescription("the offer has no a=ice-ufrag line")
        }
        self.sdp = sdp
        id = ufrag
        version = description.originVersion
        ufrags = description.iceUfrags
    }
}
