internal import NIOHTTP1

/// The web origins whose pages may connect, besides the server's own.
package struct OriginPolicy: Sendable {
    private let isAny: Bool
    private let named: Set<WebOrigin>

    /// Takes `*`, or origins separated by commas, as `https://HOST` or `https://HOST:PORT`.
    ///
    /// White space around them does not count, nor does upper case, since browsers send none.
    /// - Throws: `OriginError` naming what is no origin and would never match one.
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

    /// Lets pages of the server's own origin connect, and clients that are no browser.
    package static let own = OriginPolicy(isAny: false)

    /// Lets every page connect.
    package static let any = OriginPolicy(isAny: true)

    /// Whether every host is named too.
    var namesEveryHost: Bool { isAny }

    /// The hosts of the origins that are named.
    var hosts: Set<RequestHost> { Set(named.map(\.host)) }

    /// Whether a request comes from no page, from the server's own, or from one that is named.
    ///
    /// Some requests of pages have no `Origin` (Fetch standard, `no-cors`); browsers then tell in `Sec-Fetch-Site`
    /// that it is another site's. Following a link is no such request.
    func allows(_ headers: HTTPHeaders, for host: RequestHost?) -> Bool {
        if isAny { return true }
        let origins = headers["origin"]
        guard let text = origins.first else { return !Self.isForeignFetch(headers) }
        guard origins.count == 1, let origin = WebOrigin(text) else { return false }
        return named.contains(origin) || host.map(origin.isOwn) ?? false
    }

    /// The headers by which a page of another origin may read the response (CORS of the Fetch standard).
    func headers(for request: HTTPHeaders) -> HTTPHeaders {
        if isAny { return ["Access-Control-Allow-Origin": "*"] }
        let origins = request["origin"]
        guard origins.count == 1, let origin = WebOrigin(origins[0]), named.contains(origin) else {
            return ["Vary": "Origin"]
        }
        return ["Access-Control-Allow-Origin": origins[0], "Vary": "Origin"]
    }

    private static func isForeignFetch(_ headers: HTTPHeaders) -> Bool {
        switch headers.first(name: "sec-fetch-site")?.lowercased() {
        case "cross-site", "same-site": headers.first(name: "sec-fetch-mode")?.lowercased() != "navigate"
        default: false
        }
    }
}

/// A text that is no web origin.
package struct OriginError: Error, Hashable, Sendable, CustomStringConvertible {
    package let text: String

    init(_ text: String) { self.text = text }

    package var description: String {
        "“\(text)” is no origin; write https://HOST or https://HOST:PORT, without a path"
    }
}

extension String {
    /// The items of a list, without the white space around each.
    var separatedByCommas: [String] {
        split(separator: ",", omittingEmptySubsequences: false).map { item in
            let head = item.drop(while: \.isWhitespace)
            let end = head.lastIndex { !$0.isWhitespace }.map(head.index(after:)) ?? head.startIndex
            return String(head[..<end])
        }
    }
}
