internal import HTTPFront
internal import Hummingbird

/// The HTTP headers that restrict the served pages in browsers.
enum PageSecurity {
    /// The headers, which permit only resources and connections of the same origin, images also from `data:` URLs, and
    /// media also from `blob:` and `mediastream:` URLs.
    ///
    /// Camera, microphone and screen capture are permitted only to pages of the same origin.
    ///
    /// Scripts must not insert unchecked text as markup or code (Trusted Types).
    static let headers: HTTPFields = {
        var headers = HTTPFields()
        headers[.contentSecurityPolicy] = [
            "default-src 'self'", "connect-src 'self'", "img-src 'self' data:",
            "media-src 'self' blob: mediastream:", "object-src 'none'", "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'", "require-trusted-types-for 'script'",
        ].joined(separator: "; ")
        headers[.xContentTypeOptions] = "nosniff"
        let others = [
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            (
                "Permissions-Policy",
                "camera=(self), microphone=(self), display-capture=(self), autoplay=(self), fullscreen=(self), "
                    + "geolocation=(), payment=(), usb=()"
            ),
        ]
        for (name, value) in others {
            headers.append(name, value)
        }
        return headers
    }()
}
