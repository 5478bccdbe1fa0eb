import ChatCore
import HTTPFront
import Hummingbird
import Logging
import NIOCore
import Testing

@testable import ChatServer

@Suite("Authorization of chat requests")
struct ChatAccessTests {
    /// Accounts 1000 and 1001, with the tokens `ann` and `bob`.
    private struct Directory: ChatDirectory {
        func holder(ofAccessToken token: String) async -> Int? { ["ann": 1000, "bob": 1001][token] }

        func isSignedIn(byAccessToken token: String) async -> Bool { true }

        func accounts(_ ids: [Int]) async -> [ChatPerson] {
            await accounts().filter { ids.contains($0.id) }
        }

        func accounts() async -> [ChatPerson] {
            [ChatPerson(id: 1000, name: "Ann"), ChatPerson(id: 1001, name: "Bob")]
        }
    }

    /// Returns the person of a request, or the status of its refusal.
    private func answer(
        _ query: String,
        token: String? = nil,
        from client: String? = "127.0.0.1",
        field: String? = nil,
        trustsThisComputer: Bool = true,
        hasOldConversation: Bool = false
    ) async -> Int {
        var configuration = ChatConfiguration(mediaFolder: "/nonexistent")
        configuration.trustsThisComputer = trustsThisComputer
        var fields = HTTPFields()
        if let token { fields[.authorization] = "Bearer \(token)" }
        if let field { fields.append(field, "203.0.113.7") }
        let head = HTTPRequest(
            method: .get,
            scheme: nil,
            authority: nil,
            path: "/ws/chat?\(query)",
            headerFields: fields
        )
        let context = WebContext(
            source: .init(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, client: client)
        )
        do {
            let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
            let access = ChatAccess(configuration, Directory()) { _, _ in hasOldConversation }
            return try await access.seat(request, context).person
        } catch { return Int(error.status.code) }
    }

    @Test(
        "A client on the server's computer needs a token only for a person with an account",
        arguments: ["127.0.0.1", "127.0.0.2", "::1"]
    )
    func loopback(client: String) async {
        #expect(await answer("userId=20&withId=1", from: client) == 20)
        #expect(await answer("userId=999&withId=1000", from: client) == 999)
        #expect(await answer("userId=1000&withId=1", from: client) == 401)
        #expect(await answer("userId=1000&withId=1", token: "ann", from: client) == 1000)
    }

    @Test("A client on another computer needs a token", arguments: ["192.0.2.1", "2001:db8::1", nil])
    func elsewhere(client: String?) async {
        #expect(await answer("userId=20&withId=1", from: client) == 401)
        #expect(await answer("userId=1000&withId=1", token: "ann", from: client) == 1000)
        #expect(await answer("userId=1000&withId=1&token=ann", from: client) == 1000)
    }

    @Test(
        "A request forwarded by a proxy requires a token",
        arguments: [
            "X-Forwarded-For", "X-Forwarded-Proto", "Forwarded", "Via", "X-Real-IP", "CF-Connecting-IP",
        ]
    )
    func forwarded(field: String) async {
        #expect(await answer("userId=20&withId=1", field: field) == 401)
        #expect(await answer("userId=1000&withId=1", token: "ann", field: field) == 1000)
    }

    @Test("A server that other computers can reach requires a token from every client")
    func openServer() async {
        #expect(await answer("userId=20&withId=1", trustsThisComputer: false) == 401)
        #expect(await answer("userId=1001&withId=20", token: "bob", trustsThisComputer: false) == 1001)
    }

    @Test("A token is valid only for its own account, and an invalid token is refused even on this computer")
    func tokens() async {
        #expect(await answer("userId=1001&withId=1", token: "ann") == 401)
        #expect(await answer("userId=20&withId=1", token: "ann") == 401)
        #expect(await answer("userId=20&withId=1", token: "forged") == 401)
        #expect(await answer("userId=20&withId=1&token=") == 401)
    }

    @Test("Invalid IDs are refused with 400, and an unknown account with 404")
    func wrongIDs() async {
        for query in [
            "", "userId=20", "withId=1", "userId=0&withId=1", "userId=-1&withId=1", "userId=x&withId=1",
            "userId=20&withId=", "userId=20&withId=0", "userId=20&withId=20",
            "userId=99999999999999999999&withId=1",
            "userId=20&v=3",
        ] {
            #expect(await answer(query) == 400, "\(query)")
        }
        #expect(await answer("userId=20&v=2") == 20)
        #expect(await answer("userId=20&withId=1002") == 404)
    }

    @Test("A conversation with an account that was deleted can be opened")
    func deletedAccount() async {
        #expect(await answer("userId=20&withId=1002", hasOldConversation: true) == 20)
    }
}
