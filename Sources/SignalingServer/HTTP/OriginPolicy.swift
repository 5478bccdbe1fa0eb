internal import NIOHTTP1

/// Which web origins may connect, and what their browsers are told of it (CORS of the Fetch standard).
package struct OriginPolicy: Sendable {
    /// Nil stands for all of them.
    private let allowed: Set<String>?

    /// Takes `*`, or origins separated by commas, as `https://HOST` or `https://HOST:PORT`.
    ///
    /// White space around them does not count, nor does upper case, since browsers send none.
    /// - Throws: `OriginError` naming what is no origin and would never match one.
    package init(_ list: String) throws(OriginError) {
        var origins: Set<String> = []
        for item in list.split(separator: ",", omittingEmptySubsequences: false) {
            let origin = String(item).trimmed.lowercased()
            guard origin == "*" || Self.isOrigin(origin) else { throw OriginError(String(item).trimmed) }
            origins.insert(origin)
        }
        allowed = origins.contains("*") ? nil : origins
    }

    private init() { allowed = nil }

    /// Lets every page connect.
    package static let any = OriginPolicy()

    /// A scheme, a host and perhaps a port, as browsers serialise them (RFC 6454 §6.2); no path.
    private static func isOrigin(_ text: String) -> Bool {
        guard let separator = text.firstRange(of: "://") else { return false }
        let (scheme, authority) = (text[..<separator.lowerBound], text[separator.upperBound...])
        let isPlain = authority.utf8.allSatisfy { $0 > 32 && $0 < 127 && !Self.excluded.contains($0) }
        return scheme.first?.isLetter == true && !authority.isEmpty && isPlain
    }

    private static let excluded = Set("/\\?#@*\"<>".utf8)

    /// Whether the request names no origin, as clients that are no browser do, or an allowed one.
    func allows(_ head: HTTPRequestHead) -> Bool {
        guard let allowed, let origin = head.headers.first(name: "origin") else { return true }
        return allowed.contains(origin)
    }

    /// The headers that let the requesting page read the response.
    func headers(for head: HTTPRequestHead) -> HTTPHeaders {
        guard let allowed else { return ["Access-Control-Allow-Origin": "*"] }
        guard let origin = head.headers.first(name: "origin"), allowed.contains(origin) else {
            return ["Vary": "Origin"]
        }
        return ["Access-Control-Allow-Origin": origin, "Vary": "Origin"]
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
    fileprivate var trimmed: String {
        let head = drop(while: \.isWhitespace)
        return String(
            head.prefix(upTo: head.lastIndex { !$0.isWhitespace }.map(head.index(after:)) ?? head.startIndex)
        )
    }
}
