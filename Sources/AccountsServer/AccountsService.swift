internal import AccountsCore
internal import Basics
package import HTTPFront
package import Hummingbird
package import Logging
internal import NIOCore
internal import ServerStore

/// The HTTP service for accounts, including its API description.
package struct AccountsService: WebService {
    package let name = "accounts"
    package let limits: ServiceLimits = {
        var limits = ServiceLimits()
        // A picture takes several times its size in memory until it is stored.
        limits.requestsAtOnce = 64
        limits.requestsAtOncePerAddress = 16
        limits.collectedBody = maximumBody
        return limits
    }()

    /// The maximum length of the body of a request without a picture, in bytes.
    private static let maximumBody = 16_384
    private static let root = "/api/v1/users"
    /// The maximum length in characters of a stored device description; a longer one is cut.
    private static let longestDevice = 100

    private let responder: ServiceResponder
    private let hasTestCode: Bool

    /// Creates the service; exports contain `parts`, the data of other services.
    package init(_ accounts: Accounts, exporting parts: [any ExportPart] = [], logger: Logger) {
        hasTestCode = accounts.hasTestCode
        let (changes, pictures) = (TransferPlaces<Int>(most: 4, mostOfHolder: 2), PictureReads())
        let exports = TransferPlaces<Int>(most: 8, mostOfHolder: 2)
        var routes = ServiceRoutes { error in
            if let refusal = error as? AccountRefusal { return refusal.response }
            guard let failure = error as? ServerStoreFailure else { return nil }
            logger.error("accounts: \(failure.message)")
            return AccountRefusal.unavailable("the server cannot store anything now").response
        }
        routes.on(.post, "\(Self.root)/send-auth-code", maximumBody: Self.maximumBody) { request, context in
            try await Self.sendCode(accounts, request, context)
        }
        routes.on(.post, "\(Self.root)/check-auth-code", maximumBody: Self.maximumBody) { request, context in
            try await Self.checkCode(accounts, request, context)
        }
        routes.on(.post, "\(Self.root)/register", maximumBody: Self.maximumBody) { request, context in
            try await Self.register(accounts, request, context)
        }
        routes.on(.post, "\(Self.root)/refresh-token", maximumBody: Self.maximumBody) { request, _ in
            try await Self.refresh(accounts, request)
        }
        routes.on(.get, "\(Self.root)/check-jwt") { request, _ in
            let identity = try await accounts.identity(request.bearer)
            try await accounts.read(identity) { _, _ in }
            return Response(.ok, ["is_success": true])
        }
        routes.on(.get, "\(Self.root)/me") { request, _ in
            let profile = try await Self.profile(accounts, accounts.identity(request.bearer))
            return Response(.ok, profile.json)
        }
        routes.on(.put, "\(Self.root)/me", maximumBody: WantedProfile.maximumBody) { request, context in
            // Only signed-in users may send large bodies, and only a few at a time, because processing a body takes
            // several times its size in memory.
            let identity = try await accounts.identity(request.bearer)
            let profile = try await Self.profile(accounts, identity)
            guard let place = changes.take(for: identity.user, end: context.giveUp) else {
                throw AccountRefusal.unavailable("too many profiles are being changed; try again later")
            }
            var request = request
            request.body = place.counting(request.body)
            let wanted = try await WantedProfile(request, of: profile, today: accounts.today)
            let changed = try await accounts.change(wanted, identity)
            extendLifetime(place)
            return Response(.ok, ["avatars": changed.avatars.json])
        }
        routes.on(.delete, "\(Self.root)/me", maximumBody: Self.maximumBody) { request, context in
            let identity = try await accounts.identity(request.bearer)
            var fields = try await FieldReader(request, maximum: Self.maximumBody)
            let code = fields.required(.code, AccountRules.code)
            try fields.check()
            try await accounts.delete(identity, code: code ?? "", Self.client(request, context))
            return Response(status: .noContent)
        }
        routes.on(.get, "\(Self.root)/me/export") { request, context in
            let identity = try await accounts.identity(request.bearer)
            // Until it is sent, the picture is in memory, and a service may have a file open.
            guard let place = exports.take(for: identity.user, end: context.giveUp) else {
                throw AccountRefusal.unavailable("too many exports at once")
            }
            var response = try await AccountExport.response(accounts, identity, parts)
            response.body = place.counting(response.body)
            return response
        }
        routes.on(.get, "\(Self.root)/sessions") { request, _ in
            let identity = try await accounts.identity(request.bearer)
            let sessions = try await accounts.read(identity) { try $1.sessions(of: identity.user) }
            return Response(.ok, ["sessions": .array(sessions.map { $0.json(seenFrom: identity) })])
        }
        routes.on(.delete, "\(Self.root)/sessions/:id") { request, context in
            let identity = try await accounts.identity(request.bearer)
            let id = try context.parameters.require("id")
            try await accounts.end(id, identity)
            return Response(status: .noContent)
        }
        routes.on(.get, "/\(UserTable.pictures):id") { request, context in
            let identity = try await accounts.identity(request.bearer)
            let id = try context.parameters.require("id")
            // The picture may be in memory because others are reading it, so the user's session and the existence of
            // the picture are checked for each request.
            let isStored = try await accounts.read(identity) { users, _ in try users.hasPicture(id) }
            guard isStored else { throw AccountRefusal.notFound("there is no such picture") }
            var response = try await pictures.response(id, for: identity.user, end: context.giveUp) {
                try await accounts.read(identity) { users, _ in
                    try users.picture(id)
                        .map { PictureReads.Picture(type: $0.type, bytes: ByteBuffer(bytes: $0.bytes)) }
                }
            }
            // A new picture has a new URL.
            response.headers[.cacheControl] = "private, max-age=31536000, immutable"
            return response
        }
        routes.on(.get, "/openapi.json") { _, _ in Response(.ok, AccountsDescription.json) }
        routes.on(.get, "/docs") { _, _ in
            Response(.ok, Array(AccountsDescription.page.utf8), type: "text/html; charset=utf-8")
        }
        responder = routes.responder(logger)
    }

    package func owns(_ path: String) -> Bool {
        let path = path.hasSuffix("/") ? String(path.dropLast()) : path
        return path == Self.root || path.hasPrefix("\(Self.root)/")
            || path.hasPrefix("/\(UserTable.pictures)")
            || path == "/openapi.json" || path == "/docs"
    }

    package func respond(to request: Request, _ context: WebContext) async -> Response {
        guard !hasTestCode || !request.isForwarded else {
            let reason =
                "this server uses one test code for everybody, so it refuses requests through a proxy; "
                + "see --sms-command"
            return AccountRefusal.forbidden(reason).response
        }
        let response = await responder.respond(to: request, context)
        // The routes answer in the format of the API; error responses of the HTTP framework are converted to it.
        guard let refusal = AccountRefusal(foreign: response) else { return response }
        var answer = refusal.response
        answer.headers[.allow] = response.headers[.allow]
        return answer
    }
}

extension AccountsService {
    // MARK: Signing in

    private static func client(_ request: Request, _ context: WebContext) -> Accounts.Client {
        let address = context.client.flatMap { try? SocketAddress(ipAddress: $0, port: 0) }
        let device = (request.headers[.userAgent] ?? "").printable(limit: longestDevice)
        return Accounts.Client(address: ClientAddress(address), device: device)
    }

    private static func sendCode(
        _ accounts: Accounts,
        _ request: Request,
        _ context: WebContext
    ) async throws -> Response {
        var fields = try await FieldReader(request, maximum: maximumBody)
        let phone = fields.required(.phone, AccountRules.phone)
        try fields.check()
        try await accounts.sendCode(to: phone ?? "", client(request, context))
        return Response(.created, ["is_success": true])
    }

    private static func checkCode(
        _ accounts: Accounts,
        _ request: Request,
        _ context: WebContext
    ) async throws -> Response {
        var fields = try await FieldReader(request, maximum: maximumBody)
        let phone = fields.required(.phone, AccountRules.phone)
        let code = fields.required(.code, AccountRules.code)
        try fields.check()
        let check = try await accounts.check(code ?? "", of: phone ?? "", client(request, context))
        return Response(.ok, check.json)
    }

    private static func register(
        _ accounts: Accounts,
        _ request: Request,
        _ context: WebContext
    ) async throws -> Response {
        var fields = try await FieldReader(request, maximum: maximumBody)
        let phone = fields.required(.phone, AccountRules.phone)
        let username = fields.required(.username, AccountRules.username)
        let name = fields.required(.name) { (text) throws(AccountRules.Problem) in
            try AccountRules.text(text, of: .name)
        }
        try fields.check()
        let tokens = try await accounts.register(
            phone ?? "",
            name: name ?? "",
            username: username ?? "",
            token: fields.plain("registration_token"),
            client(request, context)
        )
        return Response(.created, tokens.json)
    }

    private static func refresh(_ accounts: Accounts, _ request: Request) async throws -> Response {
        let body = try await request.body.collect(upTo: maximumBody)
        let sent = (try? JSON(parsing: Array(body.readableBytesView)))?["refresh_token"]?.stringValue
        guard body.readableBytes == 0 || sent != nil else {
            throw AccountRefusal.invalid([.init("refresh_token", "the field is required", kind: "missing")])
        }
        guard let token = sent ?? request.bearer else {
            throw AccountRefusal.unauthorized("no refresh token was sent")
        }
        return Response(.ok, try await accounts.refresh(token).json)
    }

    private static func profile(_ accounts: Accounts, _ identity: Accounts.Identity) async throws -> Profile {
        let profile = try await accounts.read(identity) { users, _ in try users.profile(of: identity.user) }
        guard let profile else { throw Accounts.noUser }
        return profile
    }
}

extension SessionTable.Session {
    /// The session in the list for its user; `current` marks the session of `identity`.
    func json(seenFrom identity: Accounts.Identity) -> JSON {
        [
            "id": .string(id), "device": .string(device), "created": Self.time(created),
            "last": Self.time(used),
            "current": .bool(id == identity.session),
        ]
    }

    private static func time(_ seconds: Int) -> JSON {
        .string(Timestamp(milliseconds: Int64(seconds) * 1000).description)
    }
}
