/// A playlist whose addresses have a token, because players do not take it from the playlist's own address.
enum SignedPlaylist {
    /// Adds a token to the addresses of a playlist of this server, none of which has a query.
    static func text(_ playlist: String, _ token: String) -> String {
        playlist.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            if line.hasPrefix("#EXT-X-MAP:URI=\"") {
                return String(line.replacing(".mp4\"", with: ".mp4?token=\(token)\""))
            }
            return line.isEmpty || line.hasPrefix("#") ? String(line) : "\(line)?token=\(token)"
        }.joined(separator: "\n")
    }
}
