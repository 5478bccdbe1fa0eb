internal import NIOHTTP1

/// Which web origins may connect, and what their browsers are told of it (CORS of the Fetch standard).
struct OriginPolicy: Sendable {
    /// Nil stands for all of them.
    private let allowed: Set<Substring>?

    /// - Parameter list: `*`, or origins separated by commas.
    init(_ list: String) {
        let origins = list.split(separator: ",").map { $0.drop { $0 == " " } }
        allowed = origins.contains("*") ? nil : Set(origins)
    }

    /// Whether the request names no origin, as clients that are no browser do, or an allowed one.
    func allows(_ head: HTTPRequestHead) -> Bool {
        guard let allowed, let origin = head.headers.first(name: "origin") else { return true }
        return allowed.contains(origin[...])
    }

    /// The headers that let the requesting page read the response.
    func headers(for head: HTTPRequestHead) -> HTTPHeaders {
        guard let allowed else { return ["Access-Control-Allow-Origin": "*"] }
        guard let origin = head.headers.first(name: "origin"), allowed.contains(origin[...]) else {
            return ["Vary": "Origin"]
        }
        return ["Access-Control-Allow-Origin": origin, "Vary": "Origin"]
    }
}
