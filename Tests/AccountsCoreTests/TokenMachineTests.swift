import AccountsCore
import Basics
import Testing

@Suite("The tokens of a session")
struct TokenMachineTests {
    /// Returns the tokens with a number, whose access token lives for `lifetime` seconds.
    static func tokens(_ number: Int, lifetime: Int = 600, user: Int = 7) -> AccountTokens {
        func part(_ json: JSON) -> String {
            Base64.encode(Array(json.serialized().utf8)).replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: "")
        }
        let claims = part(["sub": .int(user), "jti": .int(number), "iat": 1000, "exp": .int(1000 + lifetime)])
        let access = Secret("\(part(["alg": "HS256"])).\(claims).sig")
        return AccountTokens(access: access, refresh: Secret("r\(number)"), user: user)
    }

    private let old = tokens(1)
    private let new = tokens(2)
    private let other = tokens(9, user: 8)
    private let down = AccountFailure(.unreachable, "down")
    private let gone = AccountFailure(.signedOut, "gone")

    /// Returns a machine whose tokens were received at the time 0.
    private func signedIn(_ tokens: AccountTokens? = nil) -> TokenMachine {
        var machine = TokenMachine()
        let tokens = tokens ?? old
        #expect(machine.handle(.signedIn(tokens, asked: .zero), at: .zero) == [.store(tokens)])
        #expect(machine.handle(.stored(tokens, isKept: true), at: .zero) == [])
        return machine
    }

    /// The failures in effects, by the numbers of the requests.
    private func failures(_ effects: [TokenMachine.Effect]) -> [Int: AccountFailure.Reason] {
        var found: [Int: AccountFailure.Reason] = [:]
        for case .fail(let id, let failure) in effects { found[id] = failure.reason }
        return found
    }

    /// Ends a refresh with new tokens, which are stored.
    private func issue(
        _ tokens: AccountTokens,
        as id: TokenMachine.RefreshID,
        to machine: inout TokenMachine,
        at time: Duration
    ) {
        #expect(machine.handle(.refreshed(id, .issued(tokens)), at: time) == [.store(tokens)])
        _ = machine.handle(.stored(tokens, isKept: true), at: time)
    }

    // MARK: Refreshing

    @Test("Twenty requests with one refused token cause a single refresh and are sent again after it")
    func refusedTogether() {
        var machine = signedIn()
        for id in 1...20 {
            #expect(machine.handle(.wanted(id, user: nil), at: .seconds(1)) == [.send(id, token: old.access)])
        }
        #expect(
            machine.handle(.refused(1, token: old.access), at: .seconds(2)) == [
                .refresh(1, old, isKept: true)
            ]
        )
        for id in 2...19 {
            #expect(machine.handle(.refused(id, token: old.access), at: .seconds(2)) == [])
        }
        #expect(machine.handle(.refreshed(1, .issued(new)), at: .seconds(3)) == [.store(new)])
        // Nobody uses them before they are stored.
        #expect(machine.handle(.wanted(21, user: nil), at: .seconds(3)) == [])
        let effects = machine.handle(.stored(new, isKept: true), at: .seconds(3))
        #expect(effects == ((1...19) + [21]).map { .send($0, token: new.access) })
        // An answer to the old token that comes later needs no refresh.
        let late = machine.handle(.refused(20, token: old.access), at: .seconds(4))
        #expect(late == [.send(20, token: new.access)])
    }

    @Test("A request refused with an old token is repeated with the newest token, refreshed if expired")
    func lateRefusal() {
        var machine = signedIn()
        _ = machine.handle(.wanted(1, user: nil), at: .zero)
        _ = machine.handle(.wanted(2, user: nil), at: .seconds(580))
        issue(new, as: 1, to: &machine, at: .seconds(581))
        let repeated = machine.handle(.refused(1, token: old.access), at: .seconds(1170))
        #expect(repeated == [.send(1, token: new.access)])
        let effects = machine.handle(.refused(2, token: old.access), at: .seconds(1182))
        #expect(effects == [.refresh(2, new, isKept: true)])
    }

    @Test(
        "A token is refreshed before use if less than 30 seconds, or half its lifetime if shorter, remain",
        arguments: [(600, 569, true), (600, 571, false), (2, 0, true), (2, 1, false)]
    )
    func early(lifetime: Int, age: Int, isFresh: Bool) {
        let tokens = Self.tokens(1, lifetime: lifetime)
        var machine = signedIn(tokens)
        let effects = machine.handle(.wanted(1, user: nil), at: .seconds(age))
        #expect(effects == [isFresh ? .send(1, token: tokens.access) : .refresh(1, tokens, isKept: true)])
    }

    @Test("The lifetime of a token begins when it is received, not when it was requested")
    func receipt() {
        var machine = signedIn()
        _ = machine.handle(.wanted(1, user: nil), at: .seconds(580))
        issue(new, as: 1, to: &machine, at: .seconds(680))
        #expect(machine.handle(.wanted(2, user: nil), at: .seconds(1200)) == [.send(2, token: new.access)])
    }

    @Test("Stored tokens of unknown age are used until the server refuses them")
    func stored() {
        var machine = TokenMachine()
        #expect(machine.handle(.found(old), at: .zero) == [])
        #expect(machine.handle(.wanted(1, user: nil), at: .seconds(5000)) == [.send(1, token: old.access)])
        #expect(
            machine.handle(.refused(1, token: old.access), at: .seconds(5001)) == [
                .refresh(1, old, isKept: true)
            ]
        )
    }

    @Test("A token of unknown lifetime is assumed to last ten minutes")
    func opaque() {
        let tokens = AccountTokens(access: Secret("opaque"), refresh: Secret("r"), user: 7)
        var machine = signedIn(tokens)
        #expect(machine.handle(.wanted(1, user: nil), at: .seconds(560)) == [.send(1, token: tokens.access)])
        #expect(
            machine.handle(.wanted(2, user: nil), at: .seconds(580)) == [.refresh(1, tokens, isKept: true)]
        )
    }

    @Test("A failed refresh fails all waiting requests, leaves the tokens unchanged, and can be retried")
    func failedRefresh() {
        var machine = signedIn()
        for id in 1...3 { _ = machine.handle(.wanted(id, user: nil), at: .seconds(580)) }
        #expect(machine.isRefreshing)
        let effects = machine.handle(.refreshed(1, .failed(down)), at: .seconds(590))
        #expect(effects == (1...3).map { .fail($0, down) })
        #expect(machine.tokens == old && !machine.isRefreshing)
        #expect(machine.handle(.wanted(4, user: nil), at: .seconds(591)) == [.refresh(2, old, isKept: true)])
        let forbidden = machine.handle(
            .refreshed(2, .failed(AccountFailure(.forbidden, "x"))),
            at: .seconds(592)
        )
        // As its own answer, it would mislead the request.
        #expect(failures(forbidden) == [4: .serverFailed] && machine.tokens == old)
    }

    @Test("While the server limits refreshes, none is sent, and a valid token remains in use")
    func tooMany() {
        var machine = signedIn()
        _ = machine.handle(.wanted(1, user: nil), at: .seconds(580))
        var busy = AccountFailure(.tooMany, "busy")
        busy.wait = .seconds(60)
        _ = machine.handle(.refreshed(1, .failed(busy)), at: .seconds(581))
        #expect(machine.handle(.wanted(2, user: nil), at: .seconds(590)) == [.send(2, token: old.access)])
        #expect(failures(machine.handle(.refused(2, token: old.access), at: .seconds(591))) == [2: .tooMany])
        #expect(failures(machine.handle(.wanted(3, user: nil), at: .seconds(610))) == [3: .tooMany])
        #expect(machine.handle(.wanted(4, user: nil), at: .seconds(642)) == [.refresh(2, old, isKept: true)])
    }

    // MARK: The end of a session

    @Test("A refused refresh ends the session, deletes the tokens, and fails all requests, even sent ones")
    func refusedRefresh() {
        var machine = signedIn()
        _ = machine.handle(.wanted(1, user: nil), at: .zero)
        _ = machine.handle(.wanted(2, user: nil), at: .seconds(580))
        var reason = AccountFailure(.invalid, "unknown token")
        reason.fields = [AccountFailure.FieldProblem(field: "refresh_token", message: "x")]
        let effects = machine.handle(.refreshed(1, .refused(reason)), at: .seconds(581))
        let told = AccountFailure(.signedOut, "unknown token")
        #expect(effects == [.signedOut(told), .fail(1, told), .fail(2, told), .delete(old)])
        #expect(machine.tokens == nil)
        #expect(failures(machine.handle(.wanted(3, user: nil), at: .seconds(582))) == [3: .signedOut])
        #expect(machine.handle(.refused(1, token: old.access), at: .seconds(583)) == [])
    }

    @Test(
        "A new access token that is refused at once ends the session, but one refused after its expiry does not"
    )
    func secondRefusal() {
        for (late, reason) in [
            (Duration.seconds(1), AccountFailure.Reason.signedOut), (.seconds(700), .timedOut),
        ] {
            var machine = signedIn()
            _ = machine.handle(.wanted(1, user: nil), at: .zero)
            _ = machine.handle(.refused(1, token: old.access), at: .seconds(1))
            issue(new, as: 1, to: &machine, at: .seconds(2))
            let effects = machine.handle(.refused(1, token: new.access), at: .seconds(2) + late)
            #expect(failures(effects) == [1: reason])
            #expect((machine.tokens == nil) == (reason == .signedOut))
        }
    }

    @Test("A request times out if its token was issued so late that the server refuses it as expired")
    func slowIssue() {
        let short = Self.tokens(2, lifetime: 4)
        var machine = signedIn()
        _ = machine.handle(.wanted(1, user: nil), at: .zero)
        _ = machine.handle(.refused(1, token: old.access), at: .seconds(1))
        issue(short, as: 1, to: &machine, at: .seconds(8))
        let effects = machine.handle(.refused(1, token: short.access), at: .seconds(9))
        #expect(failures(effects) == [1: .timedOut] && machine.tokens == short)
    }

    @Test("A request of one user is never sent with the token of another")
    func otherUser() {
        var machine = signedIn()
        _ = machine.handle(.wanted(1, user: nil), at: .zero)
        #expect(failures(machine.handle(.signOut, at: .seconds(1))) == [1: .signedOut])
        _ = machine.handle(.signedIn(other, asked: .seconds(2)), at: .seconds(2))
        _ = machine.handle(.stored(other, isKept: true), at: .seconds(2))
        #expect(machine.handle(.refused(1, token: old.access), at: .seconds(3)) == [])
        // The same if the other one signs in without a sign-out before.
        _ = machine.handle(.wanted(2, user: nil), at: .seconds(4))
        #expect(failures(machine.handle(.wanted(3, user: 7), at: .seconds(4))) == [3: .signedOut])
        let effects = machine.handle(.signedIn(old, asked: .seconds(5)), at: .seconds(5))
        #expect(effects.last == .store(old) && failures(effects) == [2: .signedOut])
        _ = machine.handle(.stored(old, isKept: true), at: .seconds(5))
        // And if another process has signed in as somebody else.
        _ = machine.handle(.wanted(3, user: nil), at: .seconds(590))
        let stored = machine.handle(.refreshed(1, .stored(other)), at: .seconds(591))
        #expect(failures(stored) == [3: .signedOut] && stored.last == .userChanged(8))
        #expect(machine.tokens == other)
    }

    @Test("A refresh that ends after a sign-out, or after a sign-in by another user, is ignored")
    func lateRefresh() {
        for signsInAgain in [false, true] {
            var machine = signedIn()
            _ = machine.handle(.wanted(1, user: nil), at: .seconds(580))
            let effects = machine.handle(.signOut, at: .seconds(581))
            #expect(effects.last == .deleteAll && failures(effects) == [1: .signedOut])
            if signsInAgain {
                _ = machine.handle(.signedIn(other, asked: .seconds(582)), at: .seconds(582))
                _ = machine.handle(.stored(other, isKept: true), at: .seconds(582))
                #expect(
                    machine.handle(.wanted(2, user: nil), at: .seconds(1170)) == [
                        .refresh(2, other, isKept: true)
                    ]
                )
            }
            #expect(machine.handle(.refreshed(1, .issued(new)), at: .seconds(1171)) == [])
            #expect(machine.tokens == (signsInAgain ? other : nil))
            #expect(machine.isRefreshing == signsInAgain)
        }
    }

    // MARK: Other processes and requests

    @Test("A cancelled request does not affect other requests, and is not sent again")
    func cancellation() {
        var machine = signedIn()
        for id in 1...2 { _ = machine.handle(.wanted(id, user: nil), at: .seconds(580)) }
        #expect(machine.handle(.ended(1), at: .seconds(581)) == [])
        _ = machine.handle(.refreshed(1, .issued(new)), at: .seconds(582))
        let effects = machine.handle(.stored(new, isKept: true), at: .seconds(582))
        #expect(effects == [.send(2, token: new.access)])
        #expect(machine.handle(.refused(1, token: new.access), at: .seconds(583)) == [])
    }

    @Test("Tokens refreshed by another process are used, and are refreshed again if the server refuses them")
    func otherProcess() {
        var machine = signedIn()
        _ = machine.handle(.wanted(1, user: nil), at: .seconds(580))
        let effects = machine.handle(.refreshed(1, .stored(new)), at: .seconds(581))
        #expect(effects == [.send(1, token: new.access)])
        #expect(
            machine.handle(.refused(1, token: new.access), at: .seconds(582)) == [
                .refresh(2, new, isKept: true)
            ]
        )
        #expect(machine.tokens == new)
    }

    @Test("A sign-out in another process ends the session without deleting anything from the store")
    func otherSignOut() {
        var machine = signedIn()
        _ = machine.handle(.wanted(1, user: nil), at: .zero)
        let effects = machine.handle(.found(nil), at: .seconds(1))
        #expect(failures(effects) == [1: .signedOut] && effects.count == 2)
        guard case .signedOut? = effects.first else {
            Issue.record("\(effects.count) effects")
            return
        }
        #expect(machine.handle(.found(nil), at: .seconds(2)) == [])
    }

    @Test("Tokens that could not be stored are still used and refreshed, regardless of the store's content")
    func notKept() {
        var machine = signedIn()
        _ = machine.handle(.wanted(1, user: nil), at: .seconds(580))
        _ = machine.handle(.refreshed(1, .issued(new)), at: .seconds(581))
        let effects = machine.handle(.stored(new, isKept: false), at: .seconds(582))
        #expect(effects == [.send(1, token: new.access)])
        #expect(machine.handle(.found(nil), at: .seconds(583)) == [] && machine.tokens == new)
        let next = machine.handle(.wanted(2, user: nil), at: .seconds(1170))
        #expect(next == [.refresh(2, new, isKept: false)])
    }

    @Test(
        "A later check of the store adopts another process's sign-in or sign-out, unless own tokens are not yet stored"
    )
    func laterFinding() {
        var machine = TokenMachine()
        _ = machine.handle(.signOut, at: .zero)
        #expect(machine.handle(.foundLater(nil), at: .seconds(1)) == [])
        #expect(machine.handle(.foundLater(old), at: .seconds(1)) == [.userChanged(old.user)])
        #expect(machine.tokens == old)
        #expect(machine.handle(.foundLater(old), at: .seconds(2)) == [])
        #expect(machine.handle(.foundLater(nil), at: .seconds(3)) == [.signedOut(.signedOutElsewhere)])
        _ = machine.handle(.signedIn(new, asked: .seconds(4)), at: .seconds(4))
        for found in [nil, old] { #expect(machine.handle(.foundLater(found), at: .seconds(5)) == []) }
        #expect(machine.tokens == new)
    }

    @Test("The result of the first read of the store is ignored after a sign-in or sign-out")
    func lateFinding() {
        var machine = TokenMachine()
        _ = machine.handle(.signOut, at: .zero)
        #expect(machine.handle(.found(old), at: .seconds(1)) == [] && machine.tokens == nil)
        machine = TokenMachine()
        _ = machine.handle(.signedIn(new, asked: .zero), at: .zero)
        for found in [nil, old] { #expect(machine.handle(.found(found), at: .seconds(1)) == []) }
        #expect(machine.tokens == new)
    }

    @Test("A refresh that returns tokens of another user fails, and the previous tokens remain")
    func wrongUser() {
        var machine = signedIn()
        _ = machine.handle(.wanted(1, user: nil), at: .seconds(580))
        let effects = machine.handle(.refreshed(1, .issued(other)), at: .seconds(581))
        #expect(failures(effects) == [1: .serverFailed] && machine.tokens == old)
    }

    @Test("A request that is refused seven times with outdated tokens fails")
    func endlessRefusals() {
        var machine = signedIn()
        _ = machine.handle(.wanted(1, user: nil), at: .zero)
        for number in 1...6 {
            let effects = machine.handle(.refused(1, token: Secret("old \(number)")), at: .zero)
            #expect(effects == [.send(1, token: old.access)])
        }
        let last = machine.handle(.refused(1, token: Secret("old 7")), at: .zero)
        #expect(failures(last) == [1: .serverFailed] && machine.tokens == old)
    }

    @Test("If the server refuses every refreshed token, the request fails after three refreshes")
    func confusion() {
        var machine = TokenMachine()
        _ = machine.handle(.found(old), at: .zero)
        var effects = machine.handle(.wanted(1, user: nil), at: .zero)
        var refreshes = 0
        for number in 2...20 {
            guard case .send(1, let token)? = effects.last else { break }
            effects = machine.handle(.refused(1, token: token), at: .seconds(number))
            guard case .refresh(let id, _, _)? = effects.first else { break }
            refreshes += 1
            let stored = Self.tokens(number)
            effects = machine.handle(.refreshed(id, .stored(stored)), at: .seconds(number))
        }
        #expect(failures(effects) == [1: .serverFailed] && machine.tokens != nil && refreshes == 3)
    }

    // MARK: Values

    @Test(
        "Only status 401, 404 and 422 refuse a refresh; other responses without tokens only fail it",
        arguments: [200, 204, 302, 400, 401, 403, 404, 407, 413, 422, 429, 500, 502]
    )
    func outcomes(status: Int) {
        let outcome = TokenMachine.Outcome(status: status, body: Array("<html>".utf8), of: old)
        switch outcome {
        case .refused: #expect([401, 404, 422].contains(status))
        case .failed(let failure):
            #expect(![401, 404, 422].contains(status))
            if status == 200 { #expect(failure.reason == .serverFailed) }
        case .issued, .stored: Issue.record("\(status)")
        }
        let body = Array(#"{"access_token":"a","refresh_token":"b","user_id":null}"#.utf8)
        let expected = AccountTokens(access: Secret("a"), refresh: Secret("b"), user: 7)
        #expect(TokenMachine.Outcome(status: 200, body: body, of: old) == .issued(expected))
    }

    @Test("The lifetime of an access token is read from its claims")
    func lifetime() {
        #expect(Self.tokens(1, lifetime: 90).lifetime == .seconds(90))
        for access in ["", "a.b", "a.b.c", "a.e30.c", "a.!.c"] {
            #expect(AccountTokens(access: Secret(access), refresh: Secret("r"), user: 1).lifetime == nil)
        }
    }

    @Test("Printing or dumping a value never reveals a token")
    func secrets() {
        let tokens = AccountTokens(access: Secret("topsecret1"), refresh: Secret("topsecret2"), user: 7)
        var machine = TokenMachine()
        _ = machine.handle(.found(tokens), at: .zero)
        let values: [Any] = [
            tokens, machine, machine.handle(.wanted(1, user: nil), at: .zero), CodeCheck.signedIn(tokens),
            CodeCheck.unknown(registration: Secret("topsecret3")),
            TokenMachine.Input.refused(1, token: tokens.access),
            TokenMachine.Effect.refresh(1, tokens, isKept: true),
            TokenMachine.Outcome.issued(tokens),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            let printed = "\(value) \(String(reflecting: value)) \(dumped)"
            #expect(!printed.contains("topsecret") && printed.contains("hidden"))
        }
    }
}
