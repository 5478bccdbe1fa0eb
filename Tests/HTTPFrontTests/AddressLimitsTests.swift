import NIOCore
import Testing

@testable import HTTPFront

@Suite("Address limits")
struct AddressLimitsTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private func address(_ text: String) throws -> ClientAddress {
        try #require(ClientAddress(try SocketAddress(ipAddress: text, port: 1)))
    }

    private func limits(
        connections: Int? = nil,
        messages: Int? = nil,
        open: Int? = nil,
        inAll: Int = 1000
    ) -> AddressLimits {
        var rates = AddressRates()
        rates.connectionsPerMinute = connections
        rates.messagesPerSecond = messages
        return AddressLimits(rates, openConnections: open, inAll: inAll)
    }

    @Test("A token bucket permits a burst of its capacity, then its rate")
    func bucket() {
        var bucket = TokenBucket()
        let rate = TokenRate(perSecond: 2, capacity: 3)
        func taken(at time: TimeAmount) -> Int {
            (0..<10).count { _ in bucket.take(of: rate, at: start + time) }
        }
        #expect(taken(at: .zero) == 3)
        #expect(taken(at: .milliseconds(499)) == 0)
        #expect(taken(at: .milliseconds(500)) == 1)
        #expect(taken(at: .milliseconds(1500)) == 2)
        #expect(taken(at: .hours(1000)) == 3)
        // A clock that goes backwards adds no tokens.
        #expect(taken(at: .zero) == 0)
    }

    @Test("Sessions that share a connection count toward the connection rate of their address")
    func sharedConnections() throws {
        let limits = limits(connections: 60)
        let allowance = try #require(limits.allowance(for: address("192.0.2.1"), at: start))
        #expect(allowance.open(at: start) == nil)
        #expect((0..<100).count { _ in allowance.takeSession(at: start) } == 59)
        #expect(allowance.takeSession(at: start + .seconds(1)))
        #expect(allowance.open(at: start + .seconds(1)) == .tooFastOfAddress)
    }

    @Test(
        "Client addresses are compared as whole IPv4 addresses or as IPv6 /64 prefixes",
        arguments: [
            ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
            ("::ffff:192.0.2.1", "192.0.2.1", true), ("2001:db8::1", "2001:db8::ffff:1", true),
            ("2001:db8::1", "2001:db8:0:1::1", false), ("2001:db8::", "2001:db8:8000::", false),
            ("::c000:201", "192.0.2.1", false), ("127.0.0.1", "127.0.0.2", false),
        ]
    )
    func addresses(one: String, other: String, areEqual: Bool) throws {
        #expect((try address(one) == address(other)) == areEqual)
    }

    @Test(
        "Loopback addresses are recognized in all notations",
        arguments: [
            ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("::ffff:127.0.0.1", true),
            ("128.0.0.1", false), ("::2", false), ("::ffff:10.0.0.1", false), ("0.0.0.0", false),
        ]
    )
    func loopback(text: String, isLoopback: Bool) throws {
        #expect(try address(text).isLoopback == isLoopback)
    }

    @Test("A Unix domain socket has no client address")
    func unixSocket() throws {
        #expect(ClientAddress(try SocketAddress(unixDomainSocketPath: "/x")) == nil)
        #expect(ClientAddress(nil) == nil)
    }

    @Test("Connections from one address do not reduce the limit of another address")
    func connections() throws {
        let limits = limits(connections: 60)
        func opened(_ text: String, at time: TimeAmount) throws -> Int {
            let address = try address(text)
            return (0..<100).count { _ in
                limits.allowance(for: address, at: start)?.open(at: start + time) == nil
            }
        }
        #expect(try opened("192.0.2.1", at: .zero) == 60)
        #expect(try opened("192.0.2.2", at: .zero) == 60)
        #expect(try opened("192.0.2.1", at: .seconds(10)) == 10)
    }

    @Test("At the connection limit of an address, a new connection is permitted once another one closes")
    func openConnections() throws {
        let limits = limits(open: 2)
        let allowance = try #require(limits.allowance(for: address("192.0.2.1"), at: start))
        let refusals = (0..<3).map { _ in allowance.open(at: start) }
        #expect(refusals == [nil, nil, .tooManyOfAddress])
        #expect(limits.allowance(for: try address("192.0.2.2"), at: start)?.open(at: start) == nil)
        allowance.close()
        #expect(allowance.open(at: start) == nil)
    }

    @Test(
        "A network may have ten times the connections and sessions of an address, but at most half of the total",
        arguments: [(2, 1000, 20), (2, 30, 15), (20, 30, 20)]
    )
    func network(open: Int, inAll: Int, most: Int) throws {
        let limits = limits(open: open, inAll: inAll)
        var allowances: [AddressAllowance] = []
        for number in 0..<100 {
            let address = try address("2001:db8:1:\(number)::1")
            let allowance = try #require(limits.allowance(for: address, at: start))
            if allowance.open(at: start) == nil { allowances.append(allowance) }
        }
        #expect(allowances.count == most)
        let (next, other) = (try address("2001:db8:1:ffff::1"), try address("2001:db8:2::1"))
        let refused = try #require(limits.allowance(for: next, at: start))
        #expect(refused.open(at: start) == .tooManyOfAddress && refused.allowsSession)
        #expect(limits.allowance(for: other, at: start)?.open(at: start) == nil)
        for allowance in allowances { allowance.sessionOpened() }
        #expect(!refused.allowsSession)
        allowances[0].close()
        allowances[0].sessionClosed()
        #expect(refused.allowsSession && refused.open(at: start) == nil)
    }

    @Test("A network may open connections at ten times the rate of an address")
    func rateOfNetwork() throws {
        let limits = limits(connections: 6)
        func opened(at time: TimeAmount) throws -> Int {
            try (0..<100).count { number in
                let address = try address("2001:db8:1:\(number)::1")
                let allowance = limits.allowance(for: address, at: start + time)
                return allowance?.takeSession(at: start + time) ?? false
            }
        }
        #expect(try opened(at: .zero) == 60)
        #expect(try opened(at: .seconds(10)) == 10)
    }

    @Test("If an address is unlimited, so is its network")
    func unlimitedNetwork() throws {
        let limits = limits(open: .max)
        for number in 0..<3000 {
            let address = try address("2001:db8:1:\(String(number, radix: 16))::1")
            #expect(limits.allowance(for: address, at: start)?.open(at: start) == nil)
        }
    }

    @Test("Each session has its own message rate limit, with a burst of five seconds' worth of messages")
    func sessionMessages() throws {
        let allowance = try #require(limits(messages: 10).allowance(for: address("192.0.2.1"), at: start))
        var (one, other) = (allowance.session(), allowance.session())
        let taken = (
            (0..<100).count { _ in one.takeMessage(at: start) },
            (0..<100).count { _ in other.takeMessage(at: start) }
        )
        #expect(taken == (50, 50))
        let isAllowedLater = one.takeMessage(at: start + .milliseconds(100))
        #expect(isAllowedLater)
    }

    @Test("A new session may send one second's worth of messages even if its address has reached the limit")
    func reserve() throws {
        let allowance = try #require(limits(messages: 10).allowance(for: address("192.0.2.1"), at: start))
        while allowance.takeMessage(at: start) {}
        var session = allowance.session()
        let taken = (0..<100).count { _ in session.takeMessage(at: start) }
        #expect(taken == 10)
    }

    @Test("All sessions from one address together may send ten times the messages of one session")
    func messages() throws {
        let limits = limits(messages: 10)
        let address = try address("192.0.2.1")
        let (one, other) = (
            limits.allowance(for: address, at: start), limits.allowance(for: address, at: start)
        )
        #expect(one != nil && one === other)
        #expect((0..<1000).count { _ in one?.takeMessage(at: start) ?? false } == 500)
        #expect(other?.takeMessage(at: start) == false)
        #expect(other?.takeMessage(at: start + .milliseconds(10)) == true)
    }

    @Test("Loopback addresses are never limited, and other addresses only if limits are configured")
    func unlimited() throws {
        #expect(
            limits(connections: 1, messages: 1).allowance(for: try address("127.0.0.1"), at: start) == nil
        )
        #expect(limits(connections: 1).allowance(for: nil, at: start) == nil)
        #expect(limits().allowance(for: try address("192.0.2.1"), at: start) == nil)
    }

    @Test("The record of an address is removed when it has no connections and its limit has recovered")
    func pruning() throws {
        let limits = limits(connections: 60)
        func open(_ number: Int, at time: NIODeadline) throws {
            let address = try address("10.0.\(number / 256).\(number % 256)")
            let allowance = limits.allowance(for: address, at: time)
            #expect(try #require(allowance).open(at: time) == nil)
            // Only the first connection stays open.
            if number > 0 { allowance?.close() }
        }
        for number in 0..<1024 { try open(number, at: start) }
        #expect(limits.count == 1024)
        for number in 1024..<1034 { try open(number, at: start + .minutes(2)) }
        #expect(limits.count == 11)
    }

    @Test("The connections of a network remain counted when the records of other addresses are removed")
    func pruningOfNetwork() throws {
        let limits = limits(open: 1)
        func open(_ text: String) throws -> AddressAllowance? {
            let allowance = limits.allowance(for: try address(text), at: start)
            return allowance?.open(at: start) == nil ? allowance : nil
        }
        for number in 0..<10 { #expect(try open("2001:db8:1:\(number)::1") != nil) }
        for number in 0..<2000 { try open("2001:db8:2:\(String(number, radix: 16))::1")?.close() }
        #expect(limits.count < 1100)
        #expect(try open("2001:db8:1:ffff::1") == nil)
    }
}
