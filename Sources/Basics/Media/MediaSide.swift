/// The side of a call that a stream comes from: the peer's or ours.
package enum MediaSide: String, Hashable, Sendable, CaseIterable {
    case remote, local
}
