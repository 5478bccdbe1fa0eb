import AccountsCore
import Basics
import Foundation
import GRDB
import HTTPFront
import Logging
import ServerStore
import SignalingServer
import SoupKit
import Synchronization

@testable import AccountsServer

/// A delivery that keeps the codes, as phones would get them.
final class KeptCodes: CodeDelivery {
    private let codes = Mutex<[String: String]>([:])
    /// Whether sending fails.
    let fails: Bool
    let isTest: Bool

    init(fails: Bool = false, isTest: Bool = false) { (self.fails, self.isTest) = (fails, isTest) }

    func send(_ code: String, to phone: String) async throws(CodeDeliveryFailure) {
        guard !fails else { throw CodeDeliveryFailure("the line is dead") }
        codes.withLock { $0[phone] = code }
    }

    subscript(phone: String) -> String? { codes.withLock { $0[phone] } }
}

/// A clock that a test sets.
final class SetClock: Sendable {
    private let seconds = Mutex(0)

    func advance(_ time: Int) { seconds.withLock { $0 += time } }

    var clock: AccountClock {
        var clock = AccountClock()
        clock.wall = { [self] in 1_790_000_000 + seconds.withLock(\.self) }
        clock.steady = { [self] in .seconds(seconds.withLock(\.self)) }
        return clock
    }
}

/// An answer of the server.
struct Answer {
    let status: Int
    let headers: HTTPHeaders
    let body: [UInt8]

    var json: JSON? { try? JSON(parsing: body) }

    subscript(key: String) -> JSON? { json?[key] }
}

/// A running server with accounts, in a folder that is removed afterwards.
struct AccountsRig {
    let url: String
    let codes: KeptCodes
    let time: SetClock
    let database: ServerDatabase
    private let client: HTTPClient
    static let phone = "+79219999999"

    /// Runs a server with accounts while `body` runs.
    static func run(
        failsToSend: Bool = false,
        hasTestCode: Bool = false,
        exporting parts: [any ExportPart] = [],
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ body: (AccountsRig) async throws -> Void
    ) async throws {
        let root = FileManager.default.temporaryDirectory.path + "/accounts-\(UInt64.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: root) }
        let database = try await ServerDatabase.open(ServerFolder(root), AccountSchema.migrations)
        let (codes, time) = (KeptCodes(fails: failsToSend, isTest: hasTestCode), SetClock())
        let key = try await TokenKey(Array("a secret of more than thirty-two bytes".utf8))
        var configuration = AccountsConfiguration(key: key, delivery: codes)
        configuration.clock = time.clock
        let accounts = Accounts(configuration, database, logger: logger)
        var server = ServerConfiguration()
        server.port = 0
        try await SignalingServer.run(
            server,
            services: [
                AccountsService(accounts, exporting: parts, logger: logger), DescriptionService(),
            ],
            logger: logger
        ) { listening in
            let client = HTTPClient()
            try await body(
                AccountsRig(url: listening.url, codes: codes, time: time, database: database, client: client)
            )
            await client.close()
        }
    }

    /// Sends a request; a path without a slash at its start is one below `/api/v1/users/`.
    func send(
        _ method: String,
        _ path: String,
        _ body: JSON? = nil,
        token: String? = nil,
        field: String? = nil
    ) async throws -> Answer {
        var request = HTTPRequest(
            url + (path.hasPrefix("/") ? path : "/api/v1/users/\(path)"),
            method: method,
            limit: 16 << 20
        )
        request.headers.add("User-Agent", "a test")
        if let field { request.headers.add(field, "203.0.113.1") }
        if let token { request.headers.add("Authorization", "Bearer \(token)") }
        request.body = body.map { .bytes(Array($0.serialized().utf8), type: "application/json") }
        let response = try await client.send(request)
        return Answer(status: response.status, headers: response.headers, body: response.body)
    }

    /// Lets the user of a phone ask for a code and enter it.
    func enterCode(_ phone: String = phone) async throws -> Answer {
        _ = try await send("POST", "send-auth-code/", ["phone": .string(phone)])
        let code = codes[phone] ?? ""
        return try await send("POST", "check-auth-code/", ["phone": .string(phone), "code": .string(code)])
    }

    /// Registers a user, and returns the tokens.
    func register(_ phone: String = phone, username: String = "ann") async throws -> AccountTokens? {
        let check = try await enterCode(phone)
        let answer = try await send(
            "POST",
            "register/",
            [
                "phone": .string(phone), "name": "Ann", "username": .string(username),
                "registration_token": check["registration_token"] ?? .null,
            ]
        )
        return answer.json.flatMap { AccountTokens($0) }
    }

    /// Signs an existing user in once more.
    func signIn(_ phone: String = phone) async throws -> AccountTokens? {
        time.advance(31)
        return try await enterCode(phone).json.flatMap { AccountTokens($0) }
    }

    func refresh(_ tokens: AccountTokens) async throws -> Answer {
        try await send(
            "POST",
            "refresh-token/",
            ["refresh_token": .string(tokens.refresh.value)],
            token: tokens.access.value
        )
    }

    func me(_ tokens: AccountTokens) async throws -> Answer {
        try await send("GET", "me/", token: tokens.access.value)
    }
}

extension Database {
    func count(_ table: String) throws -> Int {
        try Int.fetchOne(self, sql: "SELECT count(*) FROM \(table)") ?? -1
    }
}
