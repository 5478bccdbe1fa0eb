internal import FrontParsers
internal import NIOHTTP1

/// The web origins whose pages may connect, besides the server's own.
package struct OriginPolicy: Sendable {
    private let isAny: Bool
    private let named: Set<WebOrigin>

    /// Parses `*`, or origins separated by commas, as `https://HOST` or `https://HOST:PORT`.
    ///
    /// White space around an origin and letter case are ignored, because browsers send origins in lower case.
    /// - Throws: `OriginError` naming an item that is not an origin.
    package init(_ list: String) throws(OriginError) {
        var origins: Set<WebOrigin> = []
        var isAny = false
        for item in list.separatedByCommas {
            if item == "*" {
                isAny = true
            } else {
                guard let origin = WebOrigin(item) else { throw OriginError(item) }
                origins.insert(origin)
            }
        }
        (self.isAny, named) = (isAny, origins)
    }

    private init(isAny: Bool) { (self.isAny, named) = (isAny, []) }

    /// The policy that admits pages of the server's own origin, and clients that are not browsers.
    package static let own = OriginPolicy(isAny: false)

    /// The policy that admits every page.
    package static let any = OriginPolicy(isAny: true)

    /// Whether requests are answered for any host.
    var namesEveryHost: Bool { isAny }

    /// The hosts of the named origins.
    var hosts: Set<RequestHost> { Set(named.map(\.host)) }

    /// Determines whether a request is allowed: every request with `any`, else a request that does not come from a
    /// page, or comes from the server's own page or a page of a named origin.
    ///
    /// A page's request may have no `Origin` (Fetch standard, `no-cors`). Browsers then indicate requests from other
    /// sites by `Sec-Fetch-Site`. With `isDocument`, a link on another site may be followed. Requests for sessions are
    /// not for documents: otherwise, a page with many frames, or with many addresses that the browser prefetches, could
    /// open all sessions.
    func allows(_ headers: HTTPHeaders, for host: RequestHost?, isDocument: Bool) -> Bool {
        if isAny { return true }
        let origins = headers["origin"]
        guard let text = origins.first else {
            return !Self.isForeign(headers) || isDocument && Self.isNavigation(headers)
        }
        guard origins.count == 1, let origin = WebOrigin(text) else { return false }
        return named.contains(origin) || host.map(origin.isOwn) ?? false
    }

    /// Creates the headers that allow a page of another origin to read the response (CORS of the Fetch
    /// standard).
    func headers(for request: HTTPHeaders) -> HTTPHeaders {
        if isAny { return ["Access-Control-Allow-Origin": "*"] }
        let origins = request["origin"]
        guard origins.count == 1, let origin = WebOrigin(origins[0]), named.contains(origin) else {
            return ["Vary": "Origin"]
        }
        return ["Access-Control-Allow-Origin": origins[0], "Vary": "Origin"]
    }

    /// Determines whether `Sec-Fetch-Site` shows that a page of another origin may have caused the request, or has a
    /// value that no browser sends.
    private static func isForeign(_ headers: HTTPHeaders) -> Bool {
        let values = headers["sec-fetch-site"].map { $0.lowercased() }
        // Browsers send `none` also when they prefetch what a page of another origin names (Speculation Rules).
        if values == ["none"] { return headers.contains(name: "sec-purpose") }
        return !(values.isEmpty || values == ["same-origin"])
    }

    private static func isNavigation(_ headers: HTTPHeaders) -> Bool {
        headers.first(name: "sec-fetch-mode")?.lowercased() == "navigate"
    }
}

/// An error for a text that is not a web origin.
package struct OriginError: Error, Hashable, Sendable, CustomStringConvertible {
    package let text: String

    init(_ text: String) { self.text = text }

    package var description: String {
        "“\(text)” is not an origin; write https://HOST or https://HOST:PORT, without a path"
    }
}

extension String {
    /// The items of a comma-separated list, without the white space around each item.
    var separatedByCommas: [String] {
        split(separator: ",", omittingEmptySubsequences: false).map { item in
            let head = item.drop(while: \.isWhitespace)
            let end = head.lastIndex { !$0.isWhitespace }.map(head.index(after:)) ?? head.startIndex
            return String(head[..<end])
        }
    }
}
