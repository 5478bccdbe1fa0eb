internal import HTTPFront

/// The claims of a token with which a stream or a recording is played, as in Mux's documentation.
struct PlaybackClaims: TokenClaims, Hashable {
    private enum CodingKeys: String, CodingKey {
        case subject = "sub"
        case audience = "aud"
        case expires = "exp"
        case begins = "nbf"
    }

    /// The audience of tokens for video.
    private static let video = "v"

    /// The playback ID; empty if the token is not for video.
    let playbackID: String
    let expiry: Double?
    let notBefore: Double?

    init(from decoder: any Decoder) throws {
        // Decoding must not throw for claims that are missing.
        let claims = try decoder.container(keyedBy: CodingKeys.self)
        let audience =
            (try? claims.decode(String.self, forKey: .audience)).map { [$0] }
            ?? (try? claims.decode([String].self, forKey: .audience))
        let isForVideo = audience?.contains(Self.video) ?? false
        notBefore = try? claims.decode(Double.self, forKey: .begins)
        let isReadable = notBefore != nil || !claims.contains(.begins)
        playbackID = isForVideo && isReadable ? (try? claims.decode(String.self, forKey: .subject)) ?? "" : ""
        expiry = try? claims.decode(Double.self, forKey: .expires)
    }

    func encode(to encoder: any Encoder) throws {
        var claims = encoder.container(keyedBy: CodingKeys.self)
        try claims.encode(playbackID, forKey: .subject)
        try claims.encode(Self.video, forKey: .audience)
        try claims.encodeIfPresent(expiry, forKey: .expires)
        try claims.encodeIfPresent(notBefore, forKey: .begins)
    }
}
