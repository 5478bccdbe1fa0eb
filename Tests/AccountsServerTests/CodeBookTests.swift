import HTTPFront
import NIOCore
import Testing

@testable import AccountsServer

@Suite("Sign-in codes and their limits")
struct CodeBookTests {
    private let phone = "+79219999999"
    private let client = CodeBookTests.client("192.0.2.1")
    private var book = CodeBook()

    private static func client(_ address: String) -> ClientAddress? {
        ClientAddress(try? SocketAddress(ipAddress: address, port: 0))
    }

    /// Sends a code, and returns the time to wait if that is refused.
    private mutating func send(
        _ code: String = "123456",
        to phone: String? = nil,
        from client: ClientAddress? = nil,
        at time: Duration
    ) -> Duration? {
        do throws(CodeBook.Refusal) {
            try book.request(phone ?? self.phone, client: client, at: time)
            book.sent(code, to: phone ?? self.phone, at: time)
            return nil
        } catch {
            switch error {
            case .wait(let wait): return wait
            }
        }
    }

    /// Checks a code, and uses it if it is correct; nil if the client must wait.
    private mutating func check(
        _ code: String,
        of phone: String? = nil,
        from client: ClientAddress? = nil,
        at time: Duration
    ) -> CodeBook.Check? {
        let result = try? book.check(code, of: phone ?? self.phone, client: client, at: time)
        if result == .correct { book.use(code, of: phone ?? self.phone) }
        return result
    }

    @Test("A sign-in code is valid for five minutes, for one use, and only for its phone")
    mutating func lifetime() {
        #expect(send(at: .zero) == nil)
        #expect(check("123456", of: "+79210000000", at: .seconds(1)) == .wrong)
        #expect(check("123456", at: .seconds(299)) == .correct)
        #expect(check("123456", at: .seconds(299)) == .wrong)
        #expect(send(at: .seconds(1000)) == nil)
        #expect(check("123456", at: .seconds(1300)) == .wrong)
    }

    @Test("After five wrong codes, the correct code is refused too")
    mutating func guesses() {
        #expect(send(at: .zero) == nil)
        for number in 0..<4 { #expect(check("00000\(number)", at: .seconds(1)) == .wrong) }
        #expect(check("123456", at: .seconds(1)) == .correct)
        #expect(send(at: .seconds(60)) == nil)
        for number in 0..<5 { #expect(check("00000\(number)", at: .seconds(61)) == .wrong) }
        #expect(check("123456", at: .seconds(61)) == .wrong)
    }

    @Test(
        "After 100 wrong codes for a phone in a day, each code allows 15 guesses from all clients together"
    )
    mutating func patientGuesses() {
        let clients = (1...10).map { Self.client("198.51.100.\($0)") }
        for time in [Duration.zero, .seconds(60)] {
            #expect(send(at: time) == nil)
            for client in clients {
                for number in 0..<5 { #expect(check("00000\(number)", from: client, at: time) == .wrong) }
            }
        }
        #expect(send(at: .seconds(120)) == nil)
        for number in 0..<5 {
            #expect(check("00000\(number)", from: clients[0], at: .seconds(121)) == .wrong)
        }
        #expect(check("123456", from: client, at: .seconds(122)) == .correct)
        #expect(send(at: .seconds(180)) == nil)
        for client in clients.prefix(3) {
            for number in 0..<5 {
                #expect(check("00000\(number)", from: client, at: .seconds(181)) == .wrong)
            }
        }
        #expect(check("123456", from: client, at: .seconds(182)) == .wrong)
        // The next day is as every day.
        #expect(send(at: .seconds(90_000)) == nil)
        for client in clients.prefix(4) {
            for number in 0..<4 {
                #expect(check("00000\(number)", from: client, at: .seconds(90_001)) == .wrong)
            }
        }
        #expect(check("123456", from: client, at: .seconds(90_002)) == .correct)
    }

    @Test("One client's wrong codes do not block other clients until a code has had fifty wrong guesses")
    mutating func foreignGuesses() {
        #expect(send(at: .zero) == nil)
        let clients = (1...20).map { Self.client("198.51.100.\($0)") }
        for number in 0..<8 { #expect(check("00000\(number)", from: clients[0], at: .seconds(1)) == .wrong) }
        #expect(check("123456", from: clients[0], at: .seconds(1)) == .wrong)
        #expect(check("123456", from: client, at: .seconds(1)) == .correct)
        #expect(send(at: .seconds(60)) == nil)
        for client in clients {
            for number in 0..<5 { #expect(check("00000\(number)", from: client, at: .seconds(61)) == .wrong) }
        }
        #expect(check("123456", from: client, at: .seconds(61)) == .wrong)
    }

    @Test("An address may enter sixty wrong codes an hour, for all phones together")
    mutating func guessesAcrossPhones() {
        for number in 0..<60 {
            #expect(check("000000", of: "+\(10_000_000 + number)", from: client, at: .zero) == .wrong)
        }
        #expect(send(at: .zero) == nil)
        #expect(check("123456", from: client, at: .seconds(1)) == nil)
        #expect(check("123456", from: Self.client("198.51.100.1"), at: .seconds(1)) == .correct)
    }

    @Test("Refused requests for codes do not use up the capacity for other clients")
    mutating func refusedRequests() {
        for number in 0..<30 { _ = send(to: "+\(10_000_000 + number)", from: client, at: .zero) }
        for number in 0..<100_100 {
            #expect(send(to: "+\(20_000_000 + number)", from: client, at: .seconds(1)) != nil)
        }
        #expect(send(from: Self.client("198.51.100.1"), at: .seconds(2)) == nil)
    }

    @Test("A new code is sent after 30 seconds at the earliest, and replaces the previous code")
    mutating func resend() {
        #expect(send("111111", at: .zero) == nil)
        #expect(send("222222", at: .seconds(10)) == .seconds(20))
        #expect(send("222222", at: .seconds(30)) == nil)
        #expect(check("111111", at: .seconds(31)) == .wrong)
        #expect(check("222222", at: .seconds(31)) == .correct)
    }

    @Test("A phone gets five codes an hour, regardless of the addresses that request them")
    mutating func perPhone() {
        for number in 0..<5 {
            let client = Self.client("192.0.2.\(number)")
            #expect(send(from: client, at: .seconds(100 * number)) == nil)
        }
        #expect(send(from: Self.client("198.51.100.1"), at: .seconds(1000)) == .seconds(2600))
        #expect(send(from: Self.client("198.51.100.1"), at: .seconds(3600)) == nil)
        #expect(send(from: Self.client("198.51.100.1"), at: .seconds(3650)) == .seconds(50))
    }

    @Test("An IPv4 address or an IPv6 /64 network gets thirty codes an hour, for all phones together")
    mutating func perClient() {
        for number in 0..<30 {
            #expect(send(to: "+7921000000\(number)", from: client, at: .seconds(number)) == nil)
        }
        #expect(send(from: client, at: .seconds(100)) == .seconds(3500))
        #expect(send(from: Self.client("192.0.2.2"), at: .seconds(100)) == nil)
        for number in 0..<30 {
            let client = Self.client("2001:db8::\(number)")
            #expect(send(to: "+4912345678\(number)", from: client, at: .seconds(number)) == nil)
        }
        #expect(send(to: "+33612345678", from: Self.client("2001:db8::ffff"), at: .seconds(100)) != nil)
    }

    @Test("An IPv6 network of 65,536 subnets (/48) gets 300 codes and 600 guesses an hour")
    mutating func perNetwork() throws {
        for number in 0..<300 {
            let client = Self.client("2001:db8:0:\(number / 30 + 1)::1")
            #expect(send(to: "+492000000\(number)", from: client, at: .milliseconds(number)) == nil)
        }
        #expect(send(to: "+33612345678", from: Self.client("2001:db8:0:99::1"), at: .seconds(100)) != nil)
        #expect(send(to: "+33612345678", from: Self.client("2001:db8:1:99::1"), at: .seconds(100)) == nil)
        for number in 0..<600 {
            let client = Self.client("2001:db8:0:\(number / 60 + 1)::1")
            _ = try book.check("000000", of: "+33612345678", client: client, at: .seconds(101))
        }
        #expect(throws: CodeBook.Refusal.self) {
            try book.check(
                "000000",
                of: "+33612345678",
                client: Self.client("2001:db8:0:99::1"),
                at: .seconds(102)
            )
        }
    }

    @Test(
        "A verified phone may be registered for ten minutes, from the same address or with the token of the verification"
    )
    mutating func verification() {
        let other = Self.client("198.51.100.1")
        func isVerified(_ client: ClientAddress?, _ token: String?, at seconds: Int) -> Bool {
            book.permission(phone, client: client, token: token, at: .seconds(seconds)) == .register
        }
        #expect(!isVerified(client, nil, at: 0))
        book.verified(phone, client: client, token: "digest", at: .zero)
        #expect(isVerified(client, nil, at: 599) && isVerified(other, "digest", at: 599))
        #expect(
            !isVerified(other, nil, at: 1) && !isVerified(nil, nil, at: 1) && !isVerified(client, "x", at: 1)
        )
        #expect(!isVerified(client, nil, at: 600))
        book.verified(phone, client: nil, token: "digest", at: .zero)
        #expect(!isVerified(nil, nil, at: 1))
        book.registered(phone)
        #expect(!isVerified(client, "digest", at: 1) && !isVerified(client, nil, at: 1))
        #expect(
            book.permission(phone, client: other, token: "digest", at: .seconds(1)) == .repeatRegistration
        )
    }

    @Test("At most 100,000 phones may request codes within an hour; further requests are refused")
    mutating func capacity() {
        var refused = 0
        for number in 0..<100_010 where send(to: "+\(10_000_000 + number)", at: .zero) != nil { refused += 1 }
        #expect(refused == 10)
        #expect(send(at: .seconds(3601)) == nil)
    }
}
