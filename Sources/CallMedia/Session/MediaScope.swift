package import Basics

/// The kinds and directions of media in a call (`--media`, `--recvonly`, `--sendonly`), as offered and
/// answered.
package struct MediaScope: Hashable, Sendable {
    package var kinds: Set<MediaKind> = Set(MediaKind.allCases)
    /// Whether media is sent.
    package var sends = true
    /// Whether media is received.
    package var receives = true

    package init() {}
}
