/// The reason why a text is not a playlist of HTTP Live Streaming (RFC 8216).
package enum PlaylistError: Error, Hashable, Sendable {
    /// The text does not begin with `#EXTM3U`.
    case notAPlaylist
    /// The text is longer than the limit, or has too many lines.
    case tooLarge
    /// The line with this number, counted from 1, is invalid.
    case damaged(line: Int)
    /// The playlist lacks a tag that it must have.
    case missing(String)

    /// The failure of a stream whose playlist has this error.
    package var failure: LiveFailure {
        switch self {
        case .notAPlaylist: LiveFailure(.notMedia, "there is no playlist at this address")
        case .tooLarge: LiveFailure(.tooLarge, "the playlist exceeds the size limit")
        case .damaged(let line): LiveFailure(.damaged, "the playlist is damaged in line \(line)")
        case .missing(let tag): LiveFailure(.damaged, "the playlist has no \(tag)")
        }
    }
}
