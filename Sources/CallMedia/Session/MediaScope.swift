package import CallCore

/// What a call is to carry (`--media`, `--recvonly`, `--sendonly`); offers and answers keep to it.
package struct MediaScope: Hashable, Sendable {
    package var kinds: Set<MediaKind> = Set(MediaKind.allCases)
    /// Whether anything goes out.
    package var sends = true
    /// Whether anything is taken in.
    package var receives = true

    package init() {}
}
