internal import Hummingbird

/// The permissions of the served pages in browsers.
enum PageSecurity {
    /// The headers, which permit own files and connections only, and camera and microphone only to the page
    /// itself.
    static let headers: HTTPFields = {
        var headers = HTTPFields()
        headers[.contentSecurityPolicy] = [
            "default-src 'self'", "connect-src 'self'", "img-src 'self' data:",
            "media-src 'self' blob: mediastream:", "object-src 'none'", "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
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
