internal import Basics
internal import HTTPFront
internal import Hummingbird
internal import Logging
internal import ServerStore

/// The routes of the API of live streams, whose requests need its token.
struct LiveRoutes {
    /// The maximum and the default number of entries in a list.
    private static let (longestList, usualList) = (100, 25)
    private static let mostPages = 10_000
    /// The maximum length of a body in bytes.
    static let maximumBody = 16_384

    private(set) var all: ServiceRoutes
    private let token: LiveToken

    init(_ token: LiveToken, logger: Logger) {
        self.token = token
        all = ServiceRoutes { error in
            if let refusal = error as? LiveRefusal { return refusal.response }
            guard let failure = error as? ServerStoreFailure else { return nil }
            logger.error("live streams: \(failure.message)")
            return LiveRefusal.unavailable.response
        }
    }

    mutating func on(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ answer: @escaping ServiceRoutes.Answer
    ) {
        let maximumBody = method == .get ? nil : Self.maximumBody
        all.on(method, path, maximumBody: maximumBody) { [token] request, context in
            guard token.admits(request) else { throw LiveRefusal.unauthorized }
            return try await answer(request, context)
        }
    }

    /// Adds a list, of which `page` gets the number of entries to skip and their maximum number.
    mutating func list(_ path: String, _ page: @escaping @Sendable (Int, Int) async throws -> [JSON]) {
        on(.get, path) { request, _ in
            let parameters = request.uri.queryParameters
            let limit = parameters["limit"].map { Int($0) ?? 0 } ?? Self.usualList
            let number = parameters["page"].map { Int($0) ?? 0 } ?? 1
            guard 1...Self.longestList ~= limit, 1...Self.mostPages ~= number else {
                throw LiveRefusal.invalid("limit must be from 1 to \(Self.longestList), and page from 1")
            }
            return Response(.ok, ["data": .array(try await page((number - 1) * limit, limit))])
        }
    }
}
